import { isReadyPod } from '../../../../src/drivers/kubernetes/observed/observed-plane.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { waitFor } from '../../../../src/shared/wait.ts'
import { type PlaneUser, planeUserIn } from '../../driver/plane-requests.ts'
import { forwardedPort } from '../../machine/forwarded-port.ts'
import type { HostCli } from '../host-cli.ts'
import { HostPlane } from './host-plane.ts'

/** The user of a plane at each of its two kube-apiservers, while the result is not disposed. */
export async function twoServers(
  cli: HostCli,
  { name, namespace }: { name: string; namespace: string },
): Promise<AsyncDisposable & { users: [PlaneUser, PlaneUser] }> {
  const plane = new HostPlane(cli, namespace, name)
  const user = planeUserIn(await cli.ok(['kubeconfig', ...plane.at, '--embed-credentials']))
  const [first, second] = await readyServers(plane)
  await using stack = new AsyncDisposableStack()
  const reached = async ({ metadata }: KubeObject) => {
    const flags = ['--kubeconfig', cli.lab.kubeconfigPath, '--namespace', namespace]
    const target = `pod/${metadata.name}`
    const { url } = stack.use(await forwardedPort(cli, target, { port: 6443, flags }))
    return { ...user, server: url.replace('http:', 'https:') }
  }
  const users: [PlaneUser, PlaneUser] = [await reached(first), await reached(second)]
  const owned = stack.move()
  return { users, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Former pods of kube-apiserver may still end: kubectl forwards no port of them. */
function readyServers(plane: HostPlane): Promise<[KubeObject, KubeObject]> {
  const look = async () => {
    const { items } = await plane.podsOf('kube-apiserver')
    const [first, second, third] = items.filter(isReadyPod)
    const isPair = first !== undefined && second !== undefined && third === undefined
    return isPair && ([first, second] satisfies [KubeObject, KubeObject])
  }
  return waitFor(look, { what: 'two ready pods of kube-apiserver', timeoutMs: 120_000 })
}
