import type { HostLab } from '../host-lab.ts'

/** An operator that is measured. */
export interface BenchOperator extends AsyncDisposable {
  namespace: string
  /** The name of its newest pod that runs; empty without one. */
  pod: () => Promise<string>
}

/** Installs an operator, which is uninstalled when it is disposed. */
export async function installOperator(host: HostLab, name: string): Promise<BenchOperator> {
  const { namespace: make, kubectl, vplane } = host
  await using failed = new AsyncDisposableStack()
  const { name: namespace } = failed.use(await make(name))
  await vplane('operator', 'install', '--namespace', namespace)
  failed.defer(async () => {
    await vplane('operator', 'uninstall', '--namespace', namespace, '--yes')
  })
  const owned = failed.move()
  const running = ['--field-selector', 'status.phase=Running', '--output', 'name']
  return {
    namespace,
    pod: async () => {
      const sorted = ['--sort-by', '.metadata.creationTimestamp']
      const { stdout } = await kubectl('get', 'pods', '-n', namespace, ...sorted, ...running)
      return stdout.trim().split('\n').at(-1)?.replace('pod/', '') ?? ''
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
