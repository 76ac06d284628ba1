import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../../shared/errors.ts'
import { collectionPath } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { waitFor } from '../../shared/wait.ts'
import type { PlaneApi } from '../api/plane-api.ts'
import { applyObjects, pathOfKind } from './apply-objects.ts'
import { rewriteWebhooks, type WebhookTarget } from './rewrite-webhooks.ts'

export interface InstallWebhooksOptions {
  /** Validating and mutating webhook configurations; other objects are skipped. */
  objects: readonly KubeObject[]
  target: WebhookTarget
  /** For all of them together, in milliseconds. */
  timeoutMs: number
  signal: AbortSignal
}

const KINDS = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'] as const
const CHECK_INTERVAL_MS = 20
const REMOVE_WITHIN_MS = 5000
/** A condition whose evaluation fails; the API server quotes it in its refusal. */
const FAILING_CONDITION = 'object.spec.canary == "noticed"'

/**
 * Installs webhook configurations that call a server of the caller, and returns them when the API server uses them. The
 * server need not listen yet, but it must before objects that it admits are created.
 * @throws {VplaneError} `FAILED` with the reason of the API server when it refuses one, `TIMED_OUT` when it does not
 * use them in time.
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
      await canary.untilUsed(either)
    }
    return applied
  }
  const what = 'the API server to use the webhooks'
  return waitFor(install, { what, timeoutMs, signal })
}

interface WebhookCanary extends AsyncDisposable {
  untilUsed(signal: AbortSignal): Promise<void>
}

/**
 * Creates a webhook configuration that shows when the API server uses all earlier ones: it loads them in their order,
 * and its API does not report which ones it has loaded. The canary calls no server: its condition cannot be evaluated,
 * so the API server refuses one object with the canary's label, a dry run of a LimitRange, because few other webhooks
 * match those. Disposing deletes it.
 */
async function placeCanary(
  api: PlaneApi,
  kind: (typeof KINDS)[number],
  signal: AbortSignal,
): Promise<WebhookCanary> {
  const id = randomUUID()
  // The API server calls mutating webhooks in the order of their names, so this one comes first.
  const name = `0-canary-${id}.vplane.dev`
  const path = `${pathOfKind(kind)}/${name}`
  await api.apply(path, canaryConfiguration(kind, { id, name }), { signal })
  return {
    untilUsed: async (signal) => {
      while (!(await isRefused(api, { id, signal }))) {
        await delay(CHECK_INTERVAL_MS, undefined, { signal })
      }
    },
    [Symbol.asyncDispose]: async () => {
      // It matches no other object, so it is harmless if the deletion fails.
      await api.delete(path, { signal: AbortSignal.timeout(REMOVE_WITHIN_MS) }).catch(() => false)
    },
  }
}

function canaryConfiguration(kind: string, { id, name }: { id: string; name: string }): KubeObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name },
    webhooks: [
      {
        name,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        timeoutSeconds: 1,
        clientConfig: { url: 'https://127.0.0.1:1/' },
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['limitranges'],
          },
        ],
        objectSelector: { matchLabels: { 'vplane.dev/canary': id } },
        matchConditions: [{ name: 'refuses', expression: FAILING_CONDITION }],
      },
    ],
  }
}

async function isRefused(
  api: PlaneApi,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<boolean> {
  const metadata = { name: `canary-${id}`, labels: { 'vplane.dev/canary': id } }
  const object = { apiVersion: 'v1', kind: 'LimitRange', metadata, spec: { limits: [] } }
  try {
    const path = collectionPath('limitranges', 'default')
    await api.create(path, object, { dryRun: true, signal })
    return false
  } catch (error) {
    const reason = messageOf(error)
    // Another webhook that refuses the object first hides the canary, so its refusal counts too.
    if (reason.includes(FAILING_CONDITION) || reason.includes('webhook')) {
      return true
    }
    throw error
  }
}
