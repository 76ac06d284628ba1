import type { Composition } from '../../compose/compose.ts'
import type { Driver } from '../../control-plane/driver/driver.ts'
import type { HostPlacement } from '../../control-plane/driver/requests.ts'
import { ownNamespaceOf } from '../../control-plane/plane/names.ts'
import type { DriverName } from '../../control-plane/spec/driver-name.ts'
import { asksForPods } from '../../control-plane/spec/resolve-host-spec.ts'
import type { UserSpec } from '../../control-plane/spec/spec.ts'
import { chooseDriver } from '../../control-plane/use-cases/create/choose-driver.ts'
import { VplaneError } from '../../shared/errors.ts'
import { type GivenHostFlags, hostRequestOf, refuseHostFlags } from '../flags/host-flags.ts'

export interface TargetFlags extends GivenHostFlags {
  driver?: DriverName | undefined
  'bin-dir'?: string | undefined
}

export interface TargetOptions {
  /** The flags that were on the command line, not defaults of them. */
  given: ReadonlySet<string>
  name: string
  /** The user's spec: a plane that runs pods has its own namespace. */
  userSpec: UserSpec
}

export interface Target {
  driver: Driver
  /** Only with the `kubernetes` driver. */
  host?: HostPlacement & { namespace: string }
}

/**
 * Where a new plane is created. A host namespace or context among the flags selects the host cluster.
 *
 * @throws {VplaneError} `USAGE` when a flag goes with the other driver, and what `chooseDriver` throws.
 */
export async function chooseTarget(
  composition: Pick<Composition, 'drivers' | 'hostContext' | 'hostNamespace' | 'ui'>,
  flags: TargetFlags,
  { given, name, userSpec }: TargetOptions,
): Promise<Target> {
  const namesHost = flags.namespace !== undefined || flags['host-context'] !== undefined
  const wanted = namesHost && !given.has('driver') ? 'kubernetes' : flags.driver
  // A kubeconfig that cannot be read matters only to those who would use it.
  const isOpen = wanted === undefined && composition.drivers.some(isOnHost)
  const hostContext = isOpen ? await composition.hostContext() : undefined
  const driver = chooseDriver(composition, { wanted, hostContext })
  if (!isOnHost(driver)) {
    refuseHostFlags(flags)
    return { driver }
  }
  if (given.has('bin-dir')) {
    throw new VplaneError('USAGE', '--bin-dir needs the driver "local"', {
      hints: ['--image-registry sets the registry of the images of a plane in a host cluster'],
    })
  }
  const namespace = await chooseNamespace(composition, flags, { name, userSpec })
  return { driver, host: { ...hostRequestOf(flags, namespace), namespace } }
}

/** The host namespace of a new plane: the given one, or the default, which is its own for a plane that runs pods. */
export async function chooseNamespace(
  { hostNamespace }: Pick<Composition, 'hostNamespace'>,
  { namespace }: Pick<TargetFlags, 'namespace'>,
  { name, userSpec }: Omit<TargetOptions, 'given'>,
): Promise<string> {
  return namespace ?? hostNamespace(asksForPods(userSpec) ? ownNamespaceOf(name) : undefined)
}

function isOnHost({ name }: Driver): boolean {
  return name === 'kubernetes'
}
