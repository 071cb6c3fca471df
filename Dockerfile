# syntax=docker/dockerfile:1
# The operator of this repository, bundled before (`npm run bundle`): nothing is built or installed in here, so there is no
# need for a shell. Releases give the base with its digest: --build-arg BASE=gcr.io/distroless/nodejs24-debian13@sha256:…
ARG BASE=gcr.io/distroless/nodejs24-debian13:nonroot
FROM ${BASE}

ARG VERSION=0.0.0
LABEL org.opencontainers.image.title="cdk8s-reconcile operator" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0"

# Files of root, which the operator can read and not change. The base has another user, as which WORKDIR would make the folder.
USER 0:0
WORKDIR /app
COPY dist/operator/ ./

# The user of the Deployment; a number, as kubelets cannot tell whether a name is root.
USER 65532:65532
# The last one is the conversion webhook's, which only kinds with several versions have.
EXPOSE 8080 8081 9443
ENTRYPOINT ["/nodejs/bin/node", "/app/operator.mjs"]
