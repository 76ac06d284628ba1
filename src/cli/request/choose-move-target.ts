import type { Composition } from '../../compose/compose.ts'
import type { OtherHost } from '../../compose/host/other-hosts.ts'
import type { DriverName } from '../../control-plane/spec/driver-name.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import { chooseDriver } from '../../control-plane/use-cases/create/choose-driver.ts'
import type { MoveTarget } from '../../control-plane/use-cases/move/find-move.ts'
import { VplaneError } from '../../shared/errors.ts'

export interface MoveFlags {
  'to-context'?: string | undefined
  'to-namespace'?: string | undefined
  'to-driver'?: DriverName | undefined
  abort?: boolean | undefined
}

type Places = Pick<
  Composition,
  'contexts' | 'drivers' | 'hostContext' | 'hostNamespace' | 'otherHost' | 'ui'
>

interface NamedTarget {
  driver: DriverName
  hostContext?: string | undefined
  namespace?: string | undefined
}

/**
 * The target of a move: what flags leave open stays as it is. Without flags, an interrupted move continues, or is aborted.
 *
 * @throws {VplaneError} `USAGE` when no target is named, or flags contradict each other; `NOT_FOUND` when there is nothing to
 * abort.
 */
export async function chooseMoveTarget(
  places: Places,
  plane: Plane,
  flags: MoveFlags,
): Promise<MoveTarget> {
  const named = targetOf(flags) ?? plane.movingTo?.to
  if (named === undefined && flags.abort === true) {
    // Someone may have aborted it already, and then the plane is where it was.
    throw new VplaneError('NOT_FOUND', `no move of "${plane.name}" is under way`, {
      hints: [{ action: 'describe', plane }],
    })
  }
  if (named === undefined) {
    throw new VplaneError('USAGE', `no target is given for "${plane.name}"`, {
      hints: ['--to-context NAME', '--to-namespace NAME', '--to-driver local'],
    })
  }
  return named.driver === 'local'
    ? { driver: chooseDriver(places, { wanted: 'local', hostContext: undefined }) }
    : await hostTarget(places, plane, named)
}

function targetOf(flags: MoveFlags): NamedTarget | undefined {
  const { 'to-context': hostContext, 'to-driver': driver, 'to-namespace': namespace } = flags
  const isOnHost = hostContext !== undefined || namespace !== undefined
  if (isOnHost && driver === 'local') {
    const flag = hostContext === undefined ? '--to-namespace' : '--to-context'
    throw new VplaneError('USAGE', `planes of the driver "local" have no ${flag}`, {
      hints: [`leave out ${flag} or --to-driver local`],
    })
  }
  return isOnHost || driver !== undefined
    ? { driver: driver ?? 'kubernetes', hostContext, namespace }
    : undefined
}

async function hostTarget(places: Places, plane: Plane, named: NamedTarget): Promise<MoveTarget> {
  // With a plane of this machine current, the host is the one behind it.
  const here = async () => (await places.hostContext()) ?? places.contexts.hostBehind()
  const own = plane.hostContext ?? (await here())
  const hostContext = named.hostContext ?? own
  if (hostContext === undefined) {
    throw new VplaneError('USAGE', 'there is no host cluster to move a plane to', {
      hints: ['--to-context NAME', 'kubectl config get-contexts'],
    })
  }
  const host = hostContext === own ? ownHost(places, hostContext) : places.otherHost(hostContext)
  const namespace = named.namespace ?? plane.namespace ?? (await host.namespace())
  return { driver: host.driver, host: { namespace }, hostContext }
}

function ownHost(places: Places, hostContext: string): OtherHost {
  return {
    driver: chooseDriver(places, { wanted: 'kubernetes', hostContext }),
    namespace: () => places.hostNamespace(),
  }
}
