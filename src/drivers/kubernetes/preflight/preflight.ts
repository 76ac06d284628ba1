import type { Finding } from '../../../control-plane/status/finding.ts'
import { isClusterWide } from '../../../manifests/manifest.ts'
import { lockName } from '../../../manifests/object-names.ts'
import type { PreflightRequest } from '../context/context.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { monitorFindings } from '../host/monitor-kind.ts'
import { recordName } from '../context/object-names.ts'
import { missingRights } from './rights/allowed-rights.ts'
import { checkNamespace } from './check-namespace.ts'
import { checkRoom } from './check-room.ts'
import { clusterFindings } from './cluster-findings.ts'
import { hostResourceOf } from '../host/host-resource.ts'
import { hostVersionFindings } from './host-version-findings.ts'
import { inTurns } from './in-turns.ts'
import { grantedRights, neededRights } from './rights/needed-rights.ts'
import { rightsFindings } from './rights/rights-findings.ts'
import { sharingFindings } from './sharing-findings.ts'
import { unlessRefused } from '../host/unless-refused.ts'

const AT_A_TIME = 6

/**
 * Checks everything in the host cluster that could prevent the creation of a plane, and changes nothing. What the user
 * may not read is no problem in itself.
 *
 * @returns problems and warnings only.
 * @throws {VplaneError} `UNREACHABLE`, `TIMED_OUT` or `FAILED` when the host cluster does not answer.
 */
export async function preflight(request: PreflightRequest): Promise<Finding[]> {
  const { namespace, shareNamespace, signal } = request
  const api = inTurns(request.api, AT_A_TIME)
  const manifests = [...request.manifests, ...bookkeeping(request)]
  const needed = neededRights(
    manifests
      .filter((manifest) => !isClusterWide(manifest))
      .map((manifest) => hostResourceOf(manifest, namespace)),
    grantedRights(manifests),
  )
  // The slowest request starts first.
  const [room, missing, space, version, sharing, wide, monitors] = await Promise.all([
    checkRoom(api, { ...request, manifests }),
    missingRights(api, needed, request),
    checkNamespace(api, request),
    unlessRefused(api.get('/version', { signal })),
    shareNamespace ? [] : sharingFindings(api, request),
    clusterFindings(api, manifests, request),
    monitorFindings(api, manifests, request),
  ])
  return [
    ...hostVersionFindings(version),
    ...space,
    ...sharing,
    ...rightsFindings({ needed, missing }, request),
    ...wide,
    ...monitors,
    ...room,
  ]
}

/** The Secret and the Lease that the driver itself stores for a plane. */
function bookkeeping({ name }: PreflightRequest): KubeObject[] {
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: recordName(name) } },
    { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: lockName(name) } },
  ]
}
