import { compose } from '../compose/compose.ts'
import { createGuard } from '../compose/guard.ts'
import { processEnvironment } from '../shared/environment.ts'
import { silentUi } from '../shared/ui.ts'
import type { ControlPlane, Webhooks } from './types/control-plane.ts'
import { libraryRoot } from './start/library-root.ts'
import { startOwned } from './start/start-owned.ts'
import { withUserHints } from './types/user-error.ts'
import type { StartOptions, WebhookOptions } from './types/start-options.ts'

/** One guard for all planes of this process. */
const ownerGuard = createGuard()

/**
 * Starts a control plane that belongs to this process, and returns when it can be used: a real etcd, kube-apiserver and
 * kube-controller-manager on the loopback address of this machine.
 *
 * You can start several at the same time. vplane removes the processes and files of each when you stop or dispose it, and
 * within seconds after this process ends, even if it is killed. It does not touch the user's kubeconfig and planes.
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
 * Its custom resource definitions are served when it is ready.
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
 * A test can serve webhooks itself.
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
 * when binaries, disk or ports are missing. vplane then removes what it has created.
 */
export async function startControlPlane(
  options: StartOptions & { webhooks: WebhookOptions },
): Promise<ControlPlane & { readonly webhooks: Webhooks }>
/** Starts a control plane that belongs to this process, and returns when it can be used. */
export async function startControlPlane(options?: StartOptions): Promise<ControlPlane>
/** Starts a control plane that belongs to this process, and returns when it can be used. */
export async function startControlPlane(options: StartOptions = {}): Promise<ControlPlane> {
  const root = libraryRoot()
  const { log } = options
  const ui = log === undefined ? silentUi : { ...silentUi, step: log, warn: log, note: log }
  const composition = compose({ environment: processEnvironment(), root, ui })
  const deps = { ...composition, guard: ownerGuard, root }
  return withUserHints(startOwned(deps, options))
}
