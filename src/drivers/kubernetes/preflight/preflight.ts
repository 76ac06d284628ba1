import type { Finding } from '../../../control-plane/status/finding.ts'
import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { isAtServer } from '../../../control-plane/store/store.ts'
import { knownKubernetesVersions } from '../../../control-plane/spec/kubernetes-version.ts'
import { isClusterWide } from '../../../manifests/manifest.ts'
import { lockName } from '../../../manifests/object-names.ts'
import type { PreflightRequest } from '../context/context.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { monitorFindings } from '../host/monitor-kind.ts'
import { recordName } from '../context/object-names.ts'
import { issuerFindings } from './issuer-findings.ts'
import { missingRights } from './rights/allowed-rights.ts'
import { checkNames } from './check-names.ts'
import { checkNamespace } from './check-namespace.ts'
import { checkRoom } from './check-room.ts'
import { clusterFindings } from './cluster-findings.ts'
import { hostResourceOf } from '../host/host-resource.ts'
import { inTurns, type PreflightApi } from './in-turns.ts'
import { grantedRights, neededRights, type Right } from './rights/needed-rights.ts'
import { rightsFindings } from './rights/rights-findings.ts'
import { sharingFindings } from './sharing-findings.ts'
import { unlessRefused } from '../host/unless-refused.ts'

const AT_A_TIME = 6

/** The first minor that knows every field of the templates; older ones drop some silently. */
const OLDEST_MINOR = 27

/**
 * Checks what could prevent the creation of a plane, and changes nothing. Returns problems and warnings only; what the
 * user may not read is no problem in itself. Of planes that differ in their names alone, the first one that the host accepts
 * is checked for all.
 *
 * @throws {VplaneError} `UNREACHABLE`, `TIMED_OUT` or `FAILED` when the host cluster does not answer.
 */
export async function preflight(request: PreflightRequest): Promise<Finding[]> {
  const { answers } = request
  const api = inTurns(request.api, AT_A_TIME)
  const manifests = [...request.manifests, ...bookkeeping(request)]
  if (answers?.accepts !== undefined && (await answers.accepts)) {
    return checkNames(api, { ...request, manifests, names: answers.names })
  }
  const findings = checkAll(api, { ...request, manifests })
  if (answers !== undefined) {
    answers.accepts ??= findings.then(
      (all) => all.every(({ level }) => level !== 'problem'),
      () => false,
    )
  }
  return findings
}

/** The pod through which vplane reaches a server with the data of planes. */
function databaseRights(spec: PlaneSpec): Right[] {
  const right = { verb: 'create', group: '', resource: 'pods', isVital: true }
  return isAtServer(spec) ? [right] : []
}

async function checkAll(api: PreflightApi, request: PreflightRequest): Promise<Finding[]> {
  const { manifests, namespace, shareNamespace, signal } = request
  const needed = neededRights(
    manifests
      .filter((manifest) => !isClusterWide(manifest))
      .map((manifest) => hostResourceOf(manifest, namespace)),
    [...grantedRights(manifests), ...databaseRights(request.spec)],
  )
  // The slowest request starts first.
  const [room, missing, space, version, sharing, wide, monitors, issuers] = await Promise.all([
    checkRoom(api, request),
    missingRights(api, needed, request),
    checkNamespace(api, request),
    unlessRefused(api.get('/version', { signal })),
    shareNamespace ? [] : sharingFindings(api, request),
    clusterFindings(api, manifests, request),
    monitorFindings(api, manifests, request),
    issuerFindings(request),
  ])
  return [
    ...hostVersionFindings(version),
    ...space,
    ...sharing,
    ...rightsFindings({ needed, missing }, request),
    ...wide,
    ...monitors,
    ...issuers,
    ...room,
  ]
}

/** The Secret and the Lease that the driver itself stores for a plane. */
export function bookkeeping({ name }: Pick<PreflightRequest, 'name'>): KubeObject[] {
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: recordName(name) } },
    { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: lockName(name) } },
  ]
}

/** Checks the version of the host; `version` is its answer to `/version`, if any. */
export function hostVersionFindings(version: KubeObject | undefined): Finding[] {
  const subject = 'host version'
  const given = version?.['gitVersion']
  const text = typeof given === 'string' ? given : ''
  const minor = minorOf(text)
  if (minor === undefined) {
    return []
  }
  const minors = knownKubernetesVersions().map((known) => minorOf(known) ?? 0)
  const oldest = Math.min(...minors)
  const tested = `vplane is tested with hosts of 1.${oldest} to 1.${Math.max(...minors)}`
  if (minor < OLDEST_MINOR) {
    const message = `Kubernetes ${text} is too old: 1.${OLDEST_MINOR} or later is needed`
    const here = { purpose: 'or run the plane on this machine', driver: 'local' }
    return [{ subject, level: 'problem', message, hint: ['upgrade the host cluster', here] }]
  }
  return minor < oldest
    ? [{ subject, level: 'warning', message: `Kubernetes ${text}: ${tested}` }]
    : []
}

/** Vendors add suffixes: `v1.33.5-gke.1080000`, `v1.35.1+k3s1`. */
function minorOf(version: string): number | undefined {
  const match = /^v?1\.(\d+)/.exec(version)
  return match === null ? undefined : Number(match[1])
}
