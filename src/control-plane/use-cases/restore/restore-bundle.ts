import { VplaneError } from '../../../shared/errors.ts'
import type { PlanStep } from '../../../shared/plan-step.ts'
import { omitUndefined } from '../../../shared/omit-undefined.ts'
import { ENCRYPTION_FILE } from '../../components/encryption-configuration.ts'
import type { Driver } from '../../driver/driver.ts'
import type { HostPlacement } from '../../driver/requests.ts'
import { isReadable } from '../../plane/unreadable-plane.ts'
import { parseName } from '../../plane/names.ts'
import type { Plane } from '../../plane/plane.ts'
import type { PlaneBundle, SnapshotSource } from '../../driver/snapshot.ts'
import { type AccessDependencies } from '../access/access.ts'
import { refuseWithout } from '../../store/store.ts'
import { addressLines } from '../change/address-lines.ts'
import { agreeTo, type Consent } from '../change/agree-to.ts'
import { reportPlan } from '../change/dry-run.ts'
import { refuseLostVolumes } from '../snapshot/lost-volumes.ts'
import { putData } from './put-data.ts'
import { refuseProcesses } from '../find/refuse-processes.ts'
import { refuseOnHost } from './refuse-on-host.ts'
import { specForDriver } from './spec-for-driver.ts'

/** A clone has another one. */
const CA_KEY_FILE = 'ca.key'

export interface RestoreBundleOptions extends Consent {
  source: SnapshotSource
  bundle: PlaneBundle
  /** @default the name that the plane had */
  name?: string | undefined
  driver: Driver
  host?: HostPlacement
  /** Create new CAs and keys, so that no credential of the first plane is valid for this one. */
  asClone: boolean
  /** Continue although the data on volumes of pods is missing. @default false */
  withoutVolumes?: boolean
  timeoutMs: number
  signal: AbortSignal
}

export interface RestoredBundle {
  /** Undefined in a dry run. */
  plane?: Plane
  steps: PlanStep[]
}

/**
 * Creates a plane from a bundle, or continues an interrupted restore of one, and waits until it can be used. Unless it is a
 * clone, it has the CAs and keys of the first plane, so that clients and tokens of that plane continue to work. Asks only when
 * Services get other addresses.
 * @throws {VplaneError} `CONTROL_PLANE_EXISTS` when the name is taken, `CONFLICT` when the interrupted restore was of another
 * bundle, `UNSUPPORTED` for a plane with pods outside of a host cluster, `USAGE` when its pods had volumes, and what `agreeTo`,
 * the driver and `waitUntilReady` throw.
 */
export async function restoreBundle(
  deps: AccessDependencies,
  options: RestoreBundleOptions,
): Promise<RestoredBundle> {
  const { asClone, bundle, driver, host, signal, source, timeoutMs } = options
  const { isDryRun = false, withoutVolumes = false } = options
  const { ui } = deps
  const name = parseName(options.name ?? bundle.name)
  refuseProcesses(bundle, driver)
  const specs = specForDriver(bundle, driver.name)
  refuseWithout({ name, spec: specs.spec }, 'restores')
  refuseOnHost(source, { name, spec: specs.spec })
  const isBegun = await refuseTaken(driver, name, host?.namespace)
  refuseLostVolumes(name, bundle.volumes ?? [], withoutVolumes)
  if (!isBegun) {
    await agreeToAddresses(deps, { ...options, name })
  }
  const steps: PlanStep[] = [
    { action: 'create-from-bundle', name, asClone },
    { action: 'load-bundle', source: source.what },
    { action: 'start-components' },
  ]
  if (isDryRun) {
    reportPlan(ui, steps)
    return { steps }
  }
  const operation = { ui, signal, timeoutMs }
  await driver.tools?.ensure({ spec: specs.spec, forRestore: true }, operation)
  const awaitsRestore = { keys: asClone ? encryptionOf(bundle.keys) : bundle.keys }
  const request = { name, ...specs, wait: true, awaitsRestore, ...omitUndefined({ host }) }
  const plane = await driver.create(request, operation)
  if (isBegun) {
    refuseOtherBundle(plane, { ...options, keys: await driver.keys(plane, signal) })
  }
  const data = { source, revision: 0, keepFormer: false, isElsewhere: true }
  return { plane: await putData(deps, { driver, plane, ...data, timeoutMs, signal }), steps }
}

async function agreeToAddresses(
  { ui }: AccessDependencies,
  { bundle, name, ...options }: RestoreBundleOptions & { name: string },
): Promise<void> {
  const { driver, host, isConfirmed, isDryRun, signal } = options
  const { addresses = [] } = bundle
  if (addresses.length === 0 || host?.namespace === undefined) {
    return
  }
  const outlook = await driver.pods.outlook(addresses, host.namespace, signal)
  await agreeTo(ui, {
    lines: addressLines(outlook),
    question: `Restore "${name}" although Services get other addresses?`,
    refusal: `"${name}" was not restored`,
    isConfirmed: isConfirmed || outlook.lost.length === 0,
    isDryRun,
  })
}

/** Whether an interrupted restore of a bundle can be continued; refuses any other plane of the name. */
async function refuseTaken(
  driver: Driver,
  name: string,
  namespace: string | undefined,
): Promise<boolean> {
  const found = await driver.find(name, { namespace, ignoresForbidden: true })
  const taken = found.find((plane) => namespace === undefined || plane.namespace === namespace)
  const isOpen = taken !== undefined && isReadable(taken) && taken.restoring?.isCreation === true
  if (taken !== undefined && !(isOpen && taken.movingFrom === undefined)) {
    const message = `a control plane named "${name}" already exists`
    throw new VplaneError('CONTROL_PLANE_EXISTS', message, {
      hints: [
        { purpose: 'choose another name', name: 'NAME' },
        {
          purpose: 'or replace only its data',
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

/** A plane keeps the keys and the spec with which it was begun: the data of another one could not be used with them. */
function refuseOtherBundle(
  plane: Plane,
  {
    asClone,
    bundle,
    keys,
  }: Pick<RestoreBundleOptions, 'asClone' | 'bundle'> & { keys: Record<string, string> },
): void {
  const wanted = asClone ? encryptionOf(bundle.keys) : bundle.keys
  const isOther =
    Object.keys(wanted).some((file) => wanted[file] !== keys[file]) ||
    (asClone && bundle.keys[CA_KEY_FILE] === keys[CA_KEY_FILE]) ||
    bundle.spec.version !== plane.spec.version
  if (isOther) {
    const { name } = plane
    const message = `an interrupted restore created "${name}" with other keys, or another version of Kubernetes`
    throw new VplaneError('CONFLICT', message, {
      hints: [
        'restore the same bundle as that time, in the same way',
        { purpose: 'or choose another name', name: 'NAME' },
        { purpose: 'or delete it first', action: 'delete', plane },
      ],
    })
  }
}

/** A clone keeps the encryption key: without it, Secrets in the data could not be read. */
function encryptionOf(keys: Record<string, string>): Record<string, string> {
  const encryption = keys[ENCRYPTION_FILE]
  return encryption === undefined ? {} : { [ENCRYPTION_FILE]: encryption }
}
