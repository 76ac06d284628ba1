import { forwardedPort } from '../../machine/forwarded-port.ts'
import { type PlaneUser, planeUserIn } from '../../driver/plane-requests.ts'
import type { HostCli } from '../host-cli.ts'

const SERVERS = 'vplane.dev/component=kube-apiserver'

/** The user of a plane at each of its two kube-apiservers, while the result is not disposed. */
export async function twoServers(
  cli: HostCli,
  { name, namespace }: { name: string; namespace: string },
): Promise<AsyncDisposable & { users: [PlaneUser, PlaneUser] }> {
  const at = ['--namespace', namespace]
  const user = planeUserIn(await cli.ok(['kubeconfig', name, ...at, '--embed-credentials']))
  const selector = `vplane.dev/name=${name},${SERVERS}`
  const listed = await cli.host(['get', 'pods', ...at, '--selector', selector, '-o=name'])
  await using stack = new AsyncDisposableStack()
  const reached = async (pod = '') => {
    const flags = ['--kubeconfig', cli.lab.kubeconfigPath, ...at]
    const { url } = stack.use(await forwardedPort(cli, pod, { port: 6443, flags }))
    return { ...user, server: url.replace('http:', 'https:') }
  }
  const [first, second] = listed.trim().split('\n')
  const users: [PlaneUser, PlaneUser] = [await reached(first), await reached(second)]
  const owned = stack.move()
  return { users, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
