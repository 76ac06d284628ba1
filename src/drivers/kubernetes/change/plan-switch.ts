import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { objectPathOf } from '../../../manifests/manifest.ts'
import type { Hint } from '../../../shared/hint.ts'
import type { PlanStep } from '../../../shared/plan-step.ts'
import type { KubernetesContext } from '../context/context.ts'
import type { PlacedName } from '../context/object-names.ts'
import { clusterAddressesOf } from '../host/cluster-addresses.ts'
import { readEndpoint } from '../host/endpoint-service.ts'
import type { HostApi } from '../host/host-api.ts'
import { allOf, planeObjects } from '../objects/plane-objects.ts'
import { checkFindings } from '../preflight/check-findings.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { isFirstOfBlock } from '../synced/place-endpoint.ts'

export interface SwitchPlanOptions {
  place: PlacedName
  /** The record after the change. */
  record: PlaneRecord
  previousSpec: PlaneSpec
  signal: AbortSignal
}

/**
 * Checks whether the host accepts what a plane gets when it begins to run pods, and returns what to warn of.
 * @throws {VplaneError} `FAILED` with every problem.
 */
export async function checkSwitch(
  { host, preflight }: Pick<KubernetesContext, 'host' | 'preflight'>,
  { place, previousSpec, record, signal }: SwitchPlanOptions,
): Promise<string[]> {
  const { api, context: hostContext } = await host()
  const objectsOf = (spec: PlaneSpec) => allOf(planeObjects(place, { ...record, spec }, {}))
  const former = new Set(objectsOf(previousSpec).map(objectPathOf))
  const manifests = objectsOf(record.spec).filter((object) => !former.has(objectPathOf(object)))
  const findings = await preflight({
    ...place,
    api,
    hostContext,
    spec: record.spec,
    manifests,
    createNamespace: false,
    shareNamespace: record.sharesNamespace === true,
    signal,
  })
  const refusal = `"${place.name}" cannot run pods in namespace "${place.namespace}", nothing was changed:`
  const known = findings.map((finding) => ({ ...finding, hint: withoutPlaces(finding.hint) }))
  const warnings: string[] = []
  checkFindings(known, { refusal, ui: { warn: (text) => warnings.push(text) } })
  return warnings
}

/** The plane exists: a move is the way to another namespace. */
function withoutPlaces(hint: Hint | readonly Hint[] = []): Hint[] {
  return [hint].flat().filter((one) => typeof one === 'string' || !('namespace' in one))
}

/** Returns the address that the API of a plane with pods gets, or the step that gives its endpoint another one. */
export async function planEndpoint(
  api: Pick<HostApi, 'get'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<{ apiAddress?: string; steps: PlanStep[] }> {
  const [address] = clusterAddressesOf(await readEndpoint(api, place, signal))
  if (address === undefined) {
    return { steps: [] }
  }
  return isFirstOfBlock(address)
    ? { apiAddress: address, steps: [] }
    : { steps: [{ action: 'move-endpoint', address }] }
}
