import { VplaneError } from '../../../shared/errors.ts'
import { ENCRYPTION_FILE } from '../../components/encryption-configuration.ts'
import type { Driver } from '../../driver/driver.ts'
import type { HostPlacement } from '../../driver/requests.ts'
import { isReadable } from '../../plane/unreadable-plane.ts'
import { parseName } from '../../plane/names.ts'
import type { Plane } from '../../plane/plane.ts'
import type { PlaneBundle, SnapshotSource } from '../../driver/snapshot.ts'
import { type AccessDependencies } from '../access/access.ts'
import { addressLines } from './address-lines.ts'
import { agreeTo } from '../change/agree-to.ts'
import { reportPlan } from '../change/dry-run.ts'
import { refuseLostVolumes } from '../snapshot/lost-volumes.ts'
import { putData } from './put-data.ts'
import { refuseProcesses } from '../find/refuse-processes.ts'
import { specForDriver } from './spec-for-driver.ts'

export interface RestoreBundleOptions {
  source: SnapshotSource
  bundle: PlaneBundle
  /** @default the name that the plane had */
  name?: string | undefined
  driver: Driver
  host?: HostPlacement
  /** It becomes another plane: with CAs and keys of its own, so that no credential of the first one is good for it. */
  asClone: boolean
  /** Go on though it does not hold what lay on volumes of pods. @default false */
  withoutVolumes?: boolean
  /** Do not ask. It is asked only when Services get other addresses. */
  isConfirmed: boolean
  /** Say what would be done, and do nothing. @default false */
  isDryRun?: boolean
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Makes a plane of a bundle, wherever that is from, or goes on with one whose making was cut off, and waits until it can be
 * used; undefined when it was only to be said. It has the CAs and keys of the first, unless it is a clone: whoever trusted that, or has a token of it, goes on.
 *
 * @throws {VplaneError} `CONTROL_PLANE_EXISTS` when the name is taken, `UNSUPPORTED` for a plane that runs pods where there
 * are none, `USAGE` when it had volumes of pods, `ABORTED` after a no, and what the driver and `waitUntilReady` throw.
 */
export async function restoreBundle(
  deps: AccessDependencies,
  options: RestoreBundleOptions,
): Promise<Plane | undefined> {
  const { asClone, bundle, driver, host, signal, source, timeoutMs } = options
  const { isDryRun = false, withoutVolumes = false } = options
  const { ui } = deps
  const name = parseName(options.name ?? bundle.name)
  refuseProcesses(bundle, driver)
  const isBegun = await refuseTaken(driver, name, host?.namespace)
  refuseLostVolumes(name, bundle.volumes ?? [], withoutVolumes)
  if (!isBegun) {
    await agreeToAddresses(deps, { ...options, name })
  }
  if (isDryRun) {
    reportPlan(ui, [
      `make "${name}" with ${asClone ? 'CAs and keys of its own' : 'its CAs and keys'}, at rest`,
      `make its data of ${source.what}`,
      'start its components',
    ])
    return undefined
  }
  const { spec, userSpec } = specForDriver(bundle, driver.name)
  const plane = await driver.create(
    {
      name,
      userSpec,
      spec,
      wait: true,
      atRest: { keys: asClone ? encryptionOf(bundle.keys) : bundle.keys },
      ...(host === undefined ? {} : { host }),
    },
    { ui, signal, timeoutMs },
  )
  return putData(deps, {
    driver,
    plane,
    source,
    revision: 0,
    keepFormer: false,
    isElsewhere: true,
    timeoutMs,
    signal,
  })
}

/** Shows which Services get other addresses, and asks when there are any. */
async function agreeToAddresses(
  { ui }: AccessDependencies,
  {
    bundle,
    driver,
    host,
    isConfirmed,
    isDryRun,
    name,
    signal,
  }: RestoreBundleOptions & { name: string },
): Promise<void> {
  const { addresses = [] } = bundle
  if (addresses.length === 0 || host?.namespace === undefined) {
    return
  }
  const outlook = await driver.pods.outlook(addresses, host.namespace, signal)
  await agreeTo(ui, {
    lines: addressLines(outlook),
    question: `Restore "${name}" with other addresses of Services?`,
    refusal: `"${name}" was not restored`,
    isConfirmed: isConfirmed || outlook.lost.length === 0,
    isDryRun,
  })
}

/** One whose restore was cut off is gone on with; returns whether there is such a one. */
async function refuseTaken(
  driver: Driver,
  name: string,
  namespace: string | undefined,
): Promise<boolean> {
  const found = await driver.find(name, { namespace, isBlindFine: true })
  const taken = found.find((plane) => namespace === undefined || plane.namespace === namespace)
  const isOpen = taken !== undefined && isReadable(taken) && taken.isHalfRestored === true
  if (taken !== undefined && !(isOpen && taken.movingFrom === undefined)) {
    throw new VplaneError('CONTROL_PLANE_EXISTS', `a control plane named "${name}" is there`, {
      hints: [
        { purpose: 'say another one', name: 'NAME' },
        {
          purpose: 'or replace its data alone',
          action: 'restore',
          plane: taken,
          from: 'SNAPSHOT',
          force: true,
        },
      ],
    })
  }
  return taken !== undefined
}

/** Without it, what is in its data could not be read. */
function encryptionOf(keys: Record<string, string>): Record<string, string> {
  const encryption = keys[ENCRYPTION_FILE]
  return encryption === undefined ? {} : { [ENCRYPTION_FILE]: encryption }
}
