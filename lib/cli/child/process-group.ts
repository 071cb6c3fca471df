/**
 * Kills a process and all that it has started: the files of a project can start other processes, such as compilers.
 *
 * @param leader - the id of a process that has its own process group, as `forkEntry` starts it
 */
export const killGroup = (leader: number): void => {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // The whole group has ended.
  }
};
