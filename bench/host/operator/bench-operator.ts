import {
  OPERATOR,
  OPERATOR_SELECTOR,
} from '../../../src/drivers/kubernetes/operator/operator-objects.ts'
import { type HostLab, until } from '../host-lab.ts'

/** An operator that is measured. */
export interface BenchOperator extends AsyncDisposable {
  namespace: string
  /** The name of its newest pod that runs; empty without one. */
  pod: () => Promise<string>
  /** Does something while it does not run. */
  whileStopped: (work: () => Promise<void>) => Promise<void>
}

/** Installs an operator, which is uninstalled when it is disposed. */
export async function installOperator(host: HostLab, name: string): Promise<BenchOperator> {
  const { namespace: make, kubectl, vplane, workspace } = host
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
    whileStopped: async (work) => {
      const scale = ['scale', `deployment/${OPERATOR}`, '-n', namespace, '--replicas']
      const pods = ['get', 'pods', '-n', namespace, '-l', OPERATOR_SELECTOR, '--output', 'name']
      await kubectl(...scale, '0')
      const isStopped = async () => (await kubectl(...pods)).stdout === ''
      await until(isStopped, { what: 'the end of the operator', workspace })
      await work()
      await kubectl(...scale, '1')
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
