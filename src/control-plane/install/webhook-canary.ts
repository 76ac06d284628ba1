import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../../shared/errors.ts'
import { pathOfKind } from './apply-objects.ts'
import type { PlaneApi } from '../api/plane-api.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { collectionPath } from '../../shared/kube/collections.ts'

/** A webhook configuration that refuses one object of its own, and is gone when it is disposed. */
export interface WebhookCanary extends AsyncDisposable {
  /** Returns when the API server minds it. */
  untilNoticed(signal: AbortSignal): Promise<void>
}

const READ_INTERVAL_MS = 20
const REMOVE_WITHIN_MS = 5000
/** Fails when it is evaluated; the API server repeats it in its refusal. */
const UNKNOWABLE = 'object.spec.canary == "noticed"'

/**
 * Places a webhook configuration to learn when the API server uses all that were there before it: it learns of them in
 * their order, and nothing in the API tells how far it is.
 *
 * The canary calls nobody. Its condition cannot be evaluated, which the API server answers with a refusal, and only for
 * an object with the canary's label: a LimitRange, as webhooks that mind those are rare, and only on trial.
 */
export async function placeCanary(
  api: PlaneApi,
  kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration',
  signal: AbortSignal,
): Promise<WebhookCanary> {
  const id = randomUUID()
  // Mutating webhooks are asked in the order of their names: this one comes first.
  const name = `0-canary-${id}.vplane.dev`
  const path = `${pathOfKind(kind)}/${name}`
  await api.apply(path, configuration(kind, { id, name }), { signal })
  return {
    untilNoticed: async (signal) => {
      while (!(await isRefused(api, { id, signal }))) {
        await delay(READ_INTERVAL_MS, undefined, { signal })
      }
    },
    [Symbol.asyncDispose]: async () => {
      // It minds no object of anybody else: left behind by a plane that died, it does no harm.
      await api.delete(path, { signal: AbortSignal.timeout(REMOVE_WITHIN_MS) }).catch(() => false)
    },
  }
}

function configuration(kind: string, { id, name }: { id: string; name: string }): KubeObject {
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
        matchConditions: [{ name: 'refuses', expression: UNKNOWABLE }],
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
    // When another webhook refuses it first, it stands before the canary, and no more can be seen.
    if (reason.includes(UNKNOWABLE) || reason.includes('webhook')) {
      return true
    }
    throw error
  }
}
