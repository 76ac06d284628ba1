import type { Driver } from '../../control-plane/driver/driver.ts'
import type { Snapshots } from '../../control-plane/driver/snapshot.ts'
import { isWokenByAny, wakesForAny } from '../../control-plane/plane/is-woken-by-any.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import { isReadable } from '../../control-plane/plane/unreadable-plane.ts'
import { needsKeeper } from '../../control-plane/spec/needs-keeper.ts'
import { ownStoreOf, sharedEtcdOf } from '../../control-plane/store/store.ts'
import { findAgain } from '../../control-plane/use-cases/find/find-again.ts'
import type { MeasureDependencies } from '../../control-plane/use-cases/observe/measure-plane.ts'
import { PlaneStore, toListed } from '../../drivers/local/store/plane-store.ts'
import { messageOf } from '../../shared/errors.ts'
import { canSharePorts } from '../../shared/network/ports.ts'
import { driverDuties, type DriverWorld } from '../duties/driver-duties.ts'
import type { Duty, KeeperEvent } from '../duties/duty.ts'
import { keepPlanes, type KeeperPlane } from '../duties/keep-planes.ts'
import { knownClients } from './known-clients.ts'
import type { LocalClients } from './local-clients.ts'
import { planeBoards } from './plane-boards.ts'
import { PlaneEvents } from './plane-events.ts'
import { sharedEtcdCompaction } from './shared-etcd-compaction.ts'
import { StandIns } from './stand-ins.ts'
import { UnknownClients } from './unknown-clients.ts'
import { Wakes } from '../wake/wakes.ts'

interface LocalWorld extends MeasureDependencies {
  driver: Driver
  snapshots: Pick<Snapshots, 'local' | 'storeOf'>
  root: string
  log: (line: string) => void
}

export interface KeepLocalOptions extends LocalWorld {
  /** Holds the lock of the only keeper of these planes; undefined when another keeper does. */
  takeTurn: () => Promise<AsyncDisposable | undefined>
  /** Whether it tries again while another keeper runs, and stays while no plane needs one. @default false */
  isResident?: boolean
  /** Whether programs can share ports, as on Linux, which also shows whose a connection is. @default what this system can */
  sharesPorts?: boolean
  signal: AbortSignal
}

/** What all planes of one keeper share. */
interface Shared extends Omit<LocalWorld, 'log' | 'root'> {
  store: PlaneStore
  report: (name: string, event: KeeperEvent) => void
  standIns: StandIns
  wakes: Wakes
}

/**
 * Does the duties of the local planes while one of them needs a keeper. Returns when another keeper does them. It lists
 * planes again at its end: one may have been created while this keeper still held the lock. A resident keeper returns only
 * when the signal fires.
 */
export async function keepLocalPlanes({
  isResident = false,
  sharesPorts = canSharePorts(),
  signal,
  takeTurn,
  ...world
}: KeepLocalOptions): Promise<void> {
  const { driver, log, root } = world
  const store = new PlaneStore(root)
  const report = reporter({ store, log })
  using unknown = sharesPorts ? undefined : new UnknownClients(() => new Date())
  const clients = unknown ?? knownClients
  const wakes = wakesOf({ clients, driver, store, report })
  const tryHold = (name: string) => store.tryLock(name)
  const common = { ...world, clients, report, signal, wakes }
  await using standIns = new StandIns({ ...common, sharesPorts, tryHold })
  const shared = { ...world, store, report, standIns, wakes }
  const list = async () => {
    const planes = (await driver.list()).filter(isReadable)
    await standIns.follow(planes)
    return keeperPlanes(planes, shared)
  }
  const isNeeded = async () => isResident || (await list()).length > 0
  do {
    await using held = await takeTurn()
    if (held === undefined) {
      if (!isResident) {
        return
      }
      continue
    }
    await keepPlanes({
      isResident,
      list,
      dutiesOf: (plane) =>
        plane.isAsleep === true
          ? []
          : [...driverDuties(plane, worldOf(plane, shared)), ...compactionOf(plane, store)],
      now: () => new Date(),
      log,
      signal,
    })
    if (signal.aborted) {
      // Before another keeper holds the lock, and listens on the same ports.
      await standIns[Symbol.asyncDispose]()
    }
  } while (!signal.aborted && (await isNeeded()))
}

async function keeperPlanes(
  planes: readonly Plane[],
  { driver, standIns }: Pick<Shared, 'driver' | 'standIns'>,
): Promise<KeeperPlane[]> {
  const found = await Promise.all(
    planes.map(async (stored) => {
      const { desired, id, idleSince, name, restoring, spec } = stored
      const isAwake = desired === 'running' || idleSince !== undefined || isWokenByAny(stored)
      if (!needsKeeper(spec) || !isAwake || restoring !== undefined) {
        return []
      }
      // A plane that lost some of its components gets an alarm. One that a reboot stopped needs no keeper.
      const ofStore = ownStoreOf(spec) ?? 'kube-apiserver'
      const components = [ofStore, 'kube-controller-manager'] as const
      const running = await Promise.all(components.map((one) => driver.isRunning(stored, [one])))
      const plane = { name, id, driver: driver.name, spec }
      if (running.includes(true) && !standIns.isWaking(id)) {
        return [plane]
      }
      return standIns.isFor(id) ? [{ ...plane, isAsleep: true }] : []
    }),
  )
  return found.flat()
}

function compactionOf({ name, spec }: KeeperPlane, store: PlaneStore): Duty[] {
  return sharedEtcdOf(spec)?.root === undefined
    ? []
    : [sharedEtcdCompaction(store.folder(name), () => new Date())]
}

function worldOf(
  { id, name }: KeeperPlane,
  { driver, openApi, report, snapshots, standIns, store, wakes }: Shared,
): DriverWorld {
  return {
    openApi,
    driver,
    isHeld: () => store.isHeld(name),
    mayFallAsleep: async (plane, use) =>
      wakesForAny(plane.spec) ? wakes.mayFallAsleep(plane, use) : async () => {},
    duringPause: (...pause) => standIns.during(...pause),
    // The list of all planes sweeps what others have left: a plane that is read again needs no more than that.
    find: () => findAgain({ find: async () => listedIn(store, name) }, { id, name }),
    storeOf: ({ store: url }) => (url === undefined ? snapshots.local : snapshots.storeOf(url)),
    boards: planeBoards(store.folder(name)),
    report: (event) => report(name, event),
    now: () => new Date(),
  }
}

async function listedIn(store: PlaneStore, name: string) {
  const stored = await store.find(name)
  return stored === undefined ? [] : [toListed(stored)]
}

function wakesOf({
  clients,
  driver,
  report,
  store,
}: Pick<Shared, 'driver' | 'report' | 'store'> & { clients: LocalClients }): Wakes {
  return new Wakes({
    boardOf: ({ name }) => planeBoards(store.folder(name)).wakes,
    clientsOf: async ({ id, name }) => {
      const { server } = await driver.endpoint(await findAgain(driver, { id, name }))
      return clients.connectedTo(store.folder(name), Number(new URL(server).port))
    },
    isPresent: clients.isPresent,
    report: ({ name }, event) => report(name, event),
    now: () => new Date(),
  })
}

/** Logs what happens to a plane, and stores it for its users. */
function reporter({ log, store }: { log: LocalWorld['log']; store: PlaneStore }): Shared['report'] {
  const events = new PlaneEvents((name) => planeBoards(store.folder(name)).events)
  return (name, event) => {
    log(`${name}: ${event.reason}: ${event.message}`)
    events
      .add(name, event)
      .catch((error: unknown) => log(`${name}: error: cannot store an event: ${messageOf(error)}`))
  }
}
