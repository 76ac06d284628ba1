import type { PlanStep } from '../../../shared/plan-step.ts'
import type { ChangePlan, SpecChange } from '../../changes/changed-spec.ts'
import { syncSwitch } from '../../changes/sync-switch.ts'
import type { PlaneApi } from '../../api/plane-api.ts'
import type { AddressOutlook, ServiceAddress } from '../../driver/plane-pods.ts'
import { API_SERVICE } from '../../sync/api-service.ts'
import { addressesInPlane, runningPods, startingWorkloads } from '../../sync/plane-workloads.ts'
import { type AccessDependencies, renewAccess } from '../access/access.ts'
import type { ResolvedPlane } from '../find/resolve-plane.ts'
import { refuseRotation } from '../find/unfinished-rotations.ts'
import { addressLines } from './address-lines.ts'
import type { Proposal } from './agree-to.ts'

/** More lines of one kind are counted, not shown. */
const MOST_LINES = 20

type Preview = Required<Pick<Proposal, 'effects'>> & { steps: PlanStep[] }

/**
 * Returns the steps of a change, with what a switch of `sync` does to the objects in the plane, whose API must run.
 * @throws {VplaneError} `FAILED` while its keys are rotated, and when its API does not answer.
 */
export async function previewSwitch(
  deps: AccessDependencies,
  { driver, plane }: ResolvedPlane,
  { change, plan, signal }: { change: SpecChange; plan: ChangePlan; signal: AbortSignal },
): Promise<Preview> {
  const switched = syncSwitch(plane.spec, change.spec)
  if (switched === undefined) {
    return { steps: plan.steps, effects: [] }
  }
  // The new certificates would be issued with only one of two CAs.
  await refuseRotation({ driver, plane })
  await using api = deps.openApi(await renewAccess(deps, { driver, plane }))
  if (switched === 'off') {
    const volumes = await driver.pods.volumes(plane)
    const { effects, steps } = await previewEnd(api, {
      volumes: volumes.map(({ name }) => name),
      signal,
    })
    return { steps: [...steps, ...plan.steps], effects }
  }
  const addresses = await addressesInPlane(api, signal)
  const others = addresses.filter(({ name }) => name !== API_SERVICE)
  const outlook = await driver.pods.outlook(others, plane.namespace ?? '', signal)
  const { effects, steps } = await previewStart(api, {
    outlook: withApi(outlook, { addresses, plan }),
    signal,
  })
  return { steps: [...plan.steps, ...steps], effects }
}

/** The Service of the API always gets the address of the endpoint. */
function withApi(
  outlook: AddressOutlook,
  { addresses, plan }: { addresses: readonly ServiceAddress[]; plan: ChangePlan },
): AddressOutlook {
  const { apiAddress } = plan
  const moved = addresses.filter(
    ({ address, name }) => name === API_SERVICE && address !== apiAddress,
  )
  const why = `is replaced by the address of the endpoint${apiAddress === undefined ? '' : `, ${apiAddress}`}`
  return { ...outlook, lost: [...moved.map((one) => ({ ...one, why })), ...outlook.lost] }
}

async function previewStart(
  api: PlaneApi,
  { outlook, signal }: { outlook: AddressOutlook; signal: AbortSignal },
): Promise<Preview> {
  const workloads = await startingWorkloads(api, signal)
  const services = outlook.lost.map(({ name }) => name)
  return {
    steps: [
      ...(services.length === 0 ? [] : [{ action: 'readdress-services', services } as const]),
      ...(workloads.length === 0 ? [] : [{ action: 'start-pods', workloads } as const]),
    ],
    effects: [...addressLines(outlook), ...listed('Workloads whose pods start:', workloads)],
  }
}

async function previewEnd(
  api: PlaneApi,
  { signal, volumes }: { volumes: readonly string[]; signal: AbortSignal },
): Promise<Preview> {
  const { all: pods, bare } = await runningPods(api, signal)
  return {
    steps: pods.length === 0 ? [] : [{ action: 'stop-pods', pods }],
    effects: [
      ...listed('Pods that stop:', pods),
      ...listed('Pods that are deleted for good, because no controller creates them again:', bare),
      ...listed(
        'Claims whose data stays on the host, for when the plane runs pods again:',
        volumes,
      ),
    ],
  }
}

function listed(title: string, names: readonly string[]): string[] {
  const more = names.length - MOST_LINES
  return names.length === 0
    ? []
    : [
        title,
        ...names.slice(0, MOST_LINES).map((name) => `  ${name}`),
        ...(more > 0 ? [`  and ${more} more`] : []),
      ]
}
