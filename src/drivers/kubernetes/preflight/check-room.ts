import type { Finding } from '../../../control-plane/status/finding.ts'
import { collectionPath } from '../host/collections.ts'
import type { HostObject } from '../host/host-api.ts'
import type { CommandPlace } from '../context/kubectl-hint.ts'
import { planeSelector } from '../context/object-names.ts'
import { entranceFindings } from './admission/admission-findings.ts'
import { capacityFindings } from './capacity/capacity-findings.ts'
import { existingFindings, existingObjects } from './existing-objects.ts'
import { hostResourceOf } from '../host/host-resource.ts'
import type { PreflightApi } from './in-turns.ts'
import { defaultClassOf, storageClasses, storageFinding } from './storage-finding.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import { claimsOf, workloadsOf } from '../host/workload.ts'

interface Options extends CommandPlace {
  /** The plane. */
  name: string
  manifests: readonly HostObject[]
  signal: AbortSignal
}

/** Whether there is room for what a plane is made of: names, volumes, sizes, and ways in from outside. */
export async function checkRoom(api: PreflightApi, options: Options): Promise<Finding[]> {
  const { manifests, name, namespace, signal } = options
  const claims = claimsOf(workloadsOf(manifests))
  const volumes = new Map(claims.map((claim) => [claim, claimPath(claim.name, namespace)]))
  const list = async (path: string, labelSelector?: string) => {
    const selection = labelSelector === undefined ? {} : { labelSelector }
    return (await unlessRefused(api.list(path, { ...selection, signal })))?.items
  }
  const paths = manifests.map((manifest) => hostResourceOf(manifest, namespace).path)
  const [existing, classes, ranges, quotas, pods] = await Promise.all([
    existingObjects(api, [...paths, ...volumes.values()], signal),
    storageClasses(api, signal),
    list(`/api/v1/namespaces/${namespace}/limitranges`),
    list(`/api/v1/namespaces/${namespace}/resourcequotas`),
    list(collectionPath('pods', namespace), planeSelector(name)),
  ])
  const isNew = (manifest: HostObject) => !existing.has(hostResourceOf(manifest, namespace).path)
  const objects = manifests.filter(isNew)
  const newClaims = claims.filter((claim) => !existing.has(volumes.get(claim) ?? ''))
  const standard = classes === undefined ? undefined : defaultClassOf(classes)?.metadata.name
  const classed = newClaims.map((claim) => ({
    ...claim,
    storageClassName: claim.storageClassName ?? standard,
  }))
  const [storage, entrances] = await Promise.all([
    storageFinding(newClaims, { classes, volumes: () => list('/api/v1/persistentvolumes') }),
    entranceFindings(api, objects, options),
  ])
  const coming = { manifests, objects, claims: classed }
  return [
    ...existingFindings(existing, options),
    storage,
    ...capacityFindings({ pods, quotas, ranges }, coming, options),
    ...entrances,
  ]
}

function claimPath(name: string, namespace: string): string {
  return `${collectionPath('persistentvolumeclaims', namespace)}/${name}`
}
