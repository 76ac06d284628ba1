import { METRICS_API, METRICS_SERVICE } from '../../control-plane/sync/prepare-sync.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { unlessStatus } from '../../kube/kube-error.ts'
import { recordAt } from '../../shared/json-fields.ts'
import { isVirtual, VIRTUAL_LABEL } from '../translate/markers.ts'
import { repeat } from '../engine/repeat.ts'
import type { ReadUsage } from './host-usage.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { objectPath } from '../../shared/kube/collections.ts'

export interface OfferOptions {
  plane: Pick<KubeClient, 'get' | 'apply' | 'delete'>
  readUsage: ReadUsage
  /** The address of the syncers' metrics API for the plane's kube-apiserver. */
  endpoint: { host: string; port: number }
  authority: string
  onError: (what: string, error: unknown) => void
  /** How often to check whether the host has metrics, in milliseconds. @default 60_000 */
  everyMs?: number
}

const { name: NAME, namespace: NAMESPACE } = METRICS_SERVICE
const SERVICE = objectPath('services', { name: NAME, namespace: NAMESPACE })
const LABELS = { [VIRTUAL_LABEL]: 'true' }

/**
 * Registers the API metrics.k8s.io while the host has it, until the signal fires: a registered API that does not answer
 * blocks the deletion of namespaces. If someone else has registered it, that stays.
 */
export async function offerMetrics(options: OfferOptions, signal: AbortSignal): Promise<void> {
  const { everyMs = 60_000 } = options
  const onError = (error: unknown) => options.onError('offering metrics', error)
  await repeat(() => offerOnce(options, signal), { everyMs, onError, signal })
}

async function offerOnce(options: OfferOptions, signal: AbortSignal): Promise<void> {
  const { plane, readUsage } = options
  const [usages, known, knownService] = await Promise.all([
    // Other failures do not show whether the host has metrics: then nothing changes.
    unlessStatus([403, 404], readUsage()),
    plane.get(METRICS_API, { signal }),
    plane.get(SERVICE, { signal }),
  ])
  if (knownService !== undefined && !isVirtual(knownService)) {
    throw new Error(`Service "${NAME}" in "${NAMESPACE}" does not belong to the syncer: delete it`)
  }
  if (usages !== undefined && (known === undefined || isOurs(known))) {
    await plane.apply(SERVICE, service(options), { signal })
    await plane.apply(METRICS_API, apiService(options), { signal })
    return
  }
  if (known !== undefined && isOurs(known)) {
    await plane.delete(METRICS_API, { uid: known.metadata.uid, signal })
  }
  if (knownService !== undefined) {
    await plane.delete(SERVICE, { uid: knownService.metadata.uid, signal })
  }
}

/** Whether an APIService is the syncer's: someone who installs other metrics changes its Service. */
function isOurs(apiService: KubeObject): boolean {
  const { name, namespace } = recordAt(apiService, 'spec', 'service') ?? {}
  return isVirtual(apiService) && name === NAME && namespace === NAMESPACE
}

/** The plane's kube-apiserver resolves external names of the host (k8s.io/apiserver/pkg/util/proxy, `ResolveCluster`). */
function service({ endpoint }: OfferOptions): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: NAME, namespace: NAMESPACE, labels: LABELS },
    spec: { type: 'ExternalName', externalName: endpoint.host },
  }
}

function apiService({ authority, endpoint }: OfferOptions): KubeObject {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1beta1.metrics.k8s.io', labels: LABELS },
    spec: {
      group: 'metrics.k8s.io',
      version: 'v1beta1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      caBundle: Buffer.from(authority).toString('base64'),
      service: { ...METRICS_SERVICE, port: endpoint.port },
    },
  }
}
