import { compose } from '../compose/compose.ts'
import { createGuard } from '../compose/guard.ts'
import { processEnvironment } from '../shared/environment.ts'
import { silentUi, type Ui } from '../shared/ui.ts'
import type { ControlPlane, Webhooks } from './types/control-plane.ts'
import { libraryRoot } from './start/library-root.ts'
import { memoryAccesses } from './start/memory-accesses.ts'
import { startOwned } from './start/start-owned.ts'
import { forUsers } from './types/user-error.ts'
import type { StartOptions, WebhookOptions } from './types/start-options.ts'

/** The guard of this process: one for all of its planes, however many copies of them are started at once. */
const ownerGuard = createGuard()

/**
 * Starts a control plane of this process's own, and returns when it can be used: a real etcd, kube-apiserver and
 * kube-controller-manager on the loopback address of this machine.
 *
 * Start as many as you like, at once too. Each is gone with its processes and files when it is stopped or disposed, and
 * within seconds when this process dies, however it dies. The user's kubeconfig and planes are not touched.
 *
 * @example
 * ```ts
 * import { startControlPlane } from 'vplane'
 *
 * await using plane = await startControlPlane()
 *
 * const namespace = await plane.api.get('/api/v1/namespaces/default')
 * assert.equal(namespace?.kind, 'Namespace')
 * ```
 *
 * @example
 * Custom resource definitions are served when it is ready.
 *
 * ```ts
 * import { startControlPlane } from 'vplane'
 *
 * await using plane = await startControlPlane({
 *   crds: ['config/crd'],
 *   spec: { apiServer: { extraArgs: { v: '4' } } },
 *   log: (line) => console.error(line),
 * })
 *
 * await plane.api.create('/apis/example.com/v1/namespaces/default/greetings', {
 *   apiVersion: 'example.com/v1',
 *   kind: 'Greeting',
 *   metadata: { name: 'hello' },
 *   spec: { text: 'Hello' },
 * })
 * ```
 *
 * @example
 * Webhooks are answered by the test itself.
 *
 * ```ts
 * import { createServer } from 'node:https'
 * import { startControlPlane } from 'vplane'
 *
 * await using plane = await startControlPlane({ webhooks: { paths: ['config/webhook'] } })
 *
 * const { certificate, host, key, port } = plane.webhooks
 * const server = createServer({ cert: certificate, key }, async (request, response) => {
 *   const review = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString())
 *   const { uid } = review.request
 *   const status = { message: 'no ConfigMaps today' }
 *   response.end(JSON.stringify({ ...review, response: { uid, allowed: false, status } }))
 * })
 * server.listen(port, host)
 * await plane.webhooks.waitUntilServed()
 *
 * const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'denied' } }
 * const creating = plane.api.create('/api/v1/namespaces/default/configmaps', map)
 * await assert.rejects(creating, /no ConfigMaps today/)
 * server.close()
 * ```
 *
 * @throws {VplaneError} `COMPONENT_FAILED` with the end of its log when a component ends, `TIMED_OUT`, `ABORTED` when
 * the signal fires, `USAGE` or `INVALID_SPEC` when options or manifests are wrong, `UNSUPPORTED` on Windows, `FAILED`
 * when binaries, disk or ports are missing. What was made until then is removed.
 */
export async function startControlPlane(
  options: StartOptions & { webhooks: WebhookOptions },
): Promise<ControlPlane & { readonly webhooks: Webhooks }>
export async function startControlPlane(options?: StartOptions): Promise<ControlPlane>
export async function startControlPlane(options: StartOptions = {}): Promise<ControlPlane> {
  const root = libraryRoot()
  const ui = uiOf(options)
  const composition = compose({ environment: processEnvironment(), root, ui })
  const deps = { ...composition, accesses: memoryAccesses(), guard: ownerGuard, root }
  return forUsers(startOwned(deps, options))
}

function uiOf({ log }: StartOptions): Ui {
  return log === undefined ? silentUi : { ...silentUi, step: log, warn: log, note: log }
}
