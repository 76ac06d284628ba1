import { waitFor } from '../../shared/wait.ts'
import { applyObjects } from './apply-objects.ts'
import type { PlaneApi } from '../api/plane-api.ts'
import type { WebhookTarget } from './rewrite-webhooks.ts'
import { rewriteWebhooks } from './rewrite-webhooks.ts'
import { placeCanary } from './webhook-canary.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

export interface InstallWebhooksOptions {
  /** Validating and mutating webhook configurations; objects of other kinds are left out. */
  objects: readonly KubeObject[]
  target: WebhookTarget
  /** For all of them together, in milliseconds. */
  timeoutMs: number
  signal: AbortSignal
}

const KINDS = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'] as const

/**
 * Installs webhook configurations, turned to a server of the caller, and returns when the API server asks them. The
 * server need not listen yet; what it is to admit must not be created before it does.
 *
 * @returns the configurations as they are in the plane now.
 * @throws {VplaneError} `FAILED` with the reason of the API server when it refuses one, `TIMED_OUT` when it does not
 * take them into use in time.
 */
export async function installWebhooks(
  api: PlaneApi,
  { objects, signal, target, timeoutMs }: InstallWebhooksOptions,
): Promise<KubeObject[]> {
  const kinds = KINDS.filter((kind) => objects.some((object) => object.kind === kind))
  const configurations = objects.filter(({ kind }) => kinds.some((known) => known === kind))
  const install = async (either: AbortSignal) => {
    const applied = await applyObjects(api, rewriteWebhooks(configurations, target), either)
    for (const kind of kinds) {
      await using canary = await placeCanary(api, kind, either)
      await canary.untilNoticed(either)
    }
    return applied
  }
  const what = 'the API server to use the webhooks'
  return waitFor(install, { what, timeoutMs, signal })
}
