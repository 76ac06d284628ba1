import type { Finding } from '../../../control-plane/status/finding.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { PreflightRequest } from '../context/context.ts'
import { trialPod, tryOut } from './admission/try-out.ts'
import { existingFindings, existingObjects } from './existing-objects.ts'
import { hostResourceOf } from '../host/host-resource.ts'
import type { PreflightApi } from './in-turns.ts'
import { quotaFindings } from './quota-findings.ts'
import { storageFindings } from './storage-findings.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import { claimsOf, componentOf, surgeOf, workloadsOf } from '../host/workload.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'

type Options = Omit<PreflightRequest, 'api' | 'createNamespace' | 'shareNamespace' | 'spec'>

/** Checks names, volumes, sizes, node ports and ingresses; tries one pod of each workload. */
export async function checkRoom(api: PreflightApi, options: Options): Promise<Finding[]> {
  const { manifests, namespace, signal } = options
  const workloads = workloadsOf(manifests)
  const claims = claimsOf(workloads)
  const pathOf = (object: KubeObject) => hostResourceOf(object, namespace).path
  const list = async (path: string) => (await unlessRefused(api.list(path, { signal })))?.items
  // The slowest requests start first.
  const [pods, existing, quotas = []] = await Promise.all([
    Promise.all(
      workloads.map(async (workload) => {
        const trial = { ...options, component: componentOf(workload) }
        return { ...(await tryOut(api, trialPod(workload), trial)), workload }
      }),
    ),
    existingObjects(api, [...manifests, ...claims].map(pathOf), signal),
    list(collectionPath('resourcequotas', namespace)),
  ])
  const isNew = (object: KubeObject) => !existing.has(pathOf(object))
  const tryAll = (objects: readonly KubeObject[]) =>
    Promise.all(objects.map((object) => tryOut(api, object, options)))
  const objects = manifests.filter(isNew)
  const newClaims = claims.filter(isNew)
  const [storage, volumes, entrances] = await Promise.all([
    storageFindings(newClaims, list),
    tryAll(newClaims),
    tryAll(objects.filter(isEntrance)),
  ])
  const quota = quotaFindings(
    quotas,
    [
      ...pods.map(({ object, workload }) => ({
        object,
        count: isNew(workload) ? (workload.spec?.replicas ?? 1) : 0,
        surge: surgeOf(workload),
      })),
      ...volumes,
      ...objects.map((object) => ({ object })),
    ],
    options,
  )
  const refusals = [...pods, ...volumes, ...entrances].flatMap((tried) => tried.refusals)
  const different = Map.groupBy(refusals, ({ message, subject }) => `${subject}: ${message}`)
  const unreported = [...different.values()]
    .flatMap((same) => same.slice(0, 1))
    .filter((refusal) => !isReported(refusal, quota))
  return [...existingFindings(existing, options), ...storage, ...quota, ...unreported]
}

/** Whether an object exposes the plane: another object may have its port or its host name. */
function isEntrance({ kind, spec }: KubeObject & { spec?: { type?: string } }): boolean {
  const isOpen = spec?.type === 'NodePort' || spec?.type === 'LoadBalancer'
  return kind === 'Ingress' || (kind === 'Service' && isOpen)
}

/** Whether a finding about all objects together already reports the quota that refused this one. */
function isReported({ message, subject }: Finding, quota: readonly Finding[]): boolean {
  return message.startsWith('requested: ') && quota.some((finding) => finding.subject === subject)
}
