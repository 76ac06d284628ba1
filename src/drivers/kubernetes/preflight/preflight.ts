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
 * PlaneObserver at everything in the host cluster that could keep a plane from being made, all at once, and touches nothing.
 *
 * What the user may not look at is no problem in itself: the plane may well be made.
 *
 * @returns problems and warnings; nothing of what is well.
 * @throws {VplaneError} `UNREACHABLE`, `TIMED_OUT` or `FAILED` when the host cluster cannot be asked.
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
  // What the host thinks about longest comes first.
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

/** What the driver keeps about the plane, besides what it is made of. */
function bookkeeping({ name }: PreflightRequest): KubeObject[] {
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: recordName(name) } },
    { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: lockName(name) } },
  ]
}
