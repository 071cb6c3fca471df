// Runs the parts of cert-manager that issue certificates from a selfSigned Issuer and inject their authority.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/cert-manager/cert-manager/pkg/api"
	"github.com/cert-manager/cert-manager/pkg/controller"
	"github.com/cert-manager/cert-manager/pkg/controller/cainjector"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	_ "github.com/cert-manager/cert-manager/pkg/controller/issuers"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
	"github.com/cert-manager/cert-manager/pkg/util"
)

func must(err error) {
	if err != nil {
		klog.ErrorS(err, "ended")
		os.Exit(1)
	}
}

func runControllers(ctx context.Context, kubeconfig string) {
	factory, err := controller.NewContextFactory(ctx, controller.ContextOptions{
		Kubeconfig:         kubeconfig,
		KubernetesAPIQPS:   100,
		KubernetesAPIBurst: 200,
		IssuerOptions:      controller.IssuerOptions{ClusterResourceNamespace: "cert-manager"},
		CertificateOptions: controller.CertificateOptions{
			CertificateRequestMinimumBackoffDuration: time.Hour,
			CertificateRequestMaximumBackoffDuration: 32 * time.Hour,
		},
	})
	must(err)
	for name, construct := range controller.Known() {
		run, err := construct(factory)
		must(err)
		go func() {
			if err := run.Run(1, ctx); err != nil {
				klog.ErrorS(err, "controller ended", "name", name)
			}
		}()
	}
	shared, err := factory.Build()
	must(err)
	shared.SharedInformerFactory.Start(ctx.Done())
	shared.KubeSharedInformerFactory.Start(ctx.Done())
}

func runInjector(ctx context.Context, kubeconfig string) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	must(err)
	// The injector's field manager is the prefix of its user agent.
	config = util.RestConfigWithUserAgent(config, "cainjector")
	all := runtime.NewScheme()
	must(scheme.AddToScheme(all))
	must(api.AddToScheme(all))
	must(apiextensions.AddToScheme(all))
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: all,
		// Events of Secrets have metadata alone; a cache of whole Secrets would lag behind them.
		Client:  client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}},
		Metrics: metricsserver.Options{BindAddress: "0"},
	})
	must(err)
	must(cainjector.RegisterAllInjectors(ctx, mgr, cainjector.SetupOptions{
		EnableCertificatesDataSource: true,
		EnabledReconcilersFor:        map[string]bool{cainjector.CustomResourceDefinitionName: true},
	}))
	must(mgr.Start(ctx))
}

func main() {
	ctrl.SetLogger(klog.Background())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	kubeconfig := os.Getenv("KUBECONFIG")
	runControllers(ctx, kubeconfig)
	runInjector(ctx, kubeconfig)
}
