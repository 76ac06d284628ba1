import type { Plane } from '../../../src/control-plane/plane/plane.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { Snapshots } from '../../../src/control-plane/driver/snapshot.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import type { ApiAccess } from '../../../src/control-plane/use-cases/access/access.ts'
import { fakeClient } from '../api/fake-client.ts'
import { FakeDriver, type FakeDriverOptions } from './fake-driver.ts'
import { MemoryAccessStore } from '../memory-access-store.ts'
import { MemoryContexts } from '../memory-contexts.ts'
import { MemoryTunnels } from '../memory-tunnels.ts'
import { RecordingUi } from './recording-ui.ts'

export interface FakeCompositionOptions {
  /** @default one driver, as `driver` has it */
  drivers?: FakeDriver[]
  /** @default a local one */
  driver?: FakeDriverOptions
  /** Answers to questions, in order. @default [] */
  answers?: boolean[]
  /** The current context that vplane did not write. @default none */
  current?: string
  /** @default none can be taken */
  snapshots?: Snapshots
}

/** Everything that use cases depend on, in memory. Its clock stands still until a test moves it. */
export class FakeComposition {
  readonly drivers: FakeDriver[]
  readonly ui: RecordingUi
  readonly accesses = new MemoryAccessStore()
  readonly contexts: MemoryContexts
  readonly tunnels = new MemoryTunnels()
  /** What the clock says. */
  time = new Date('2026-01-01T00:00:00Z')
  /** Clients that were opened and not closed. */
  openClients = 0

  readonly #snapshots: Snapshots | undefined

  constructor({ answers = [], current, driver, drivers, snapshots }: FakeCompositionOptions = {}) {
    this.#snapshots = snapshots
    this.drivers = drivers ?? [new FakeDriver({ now: () => this.time, ...driver })]
    this.ui = new RecordingUi({ answers })
    this.contexts = new MemoryContexts(current === undefined ? {} : { current })
  }

  readonly now = (): Date => this.time

  readonly openSnapshots = (): Promise<Snapshots> =>
    this.#snapshots === undefined
      ? Promise.reject(new Error('there is no place for snapshots'))
      : Promise.resolve(this.#snapshots)

  readonly openApi = (access: ApiAccess) => {
    const planes = this.drivers.flatMap((driver) => [...driver.planes.values()])
    this.openClients += 1
    return {
      ...fakeClient(planes.find((plane) => plane.isAt(access.server))?.api, access),
      [Symbol.asyncDispose]: () => {
        this.openClients -= 1
        return Promise.resolve()
      },
    }
  }

  /** The first driver. */
  get driver(): FakeDriver {
    const [first] = this.drivers
    if (first === undefined) {
      throw new Error('there is no driver')
    }
    return first
  }

  /** A plane that runs, made by a driver. */
  async plane(
    name: string,
    {
      driver = this.driver,
      namespace,
      ...userSpec
    }: UserSpec & { driver?: FakeDriver; namespace?: string } = {},
  ): Promise<Plane> {
    const spec = resolveSpec(userSpec, driver.name)
    const { signal } = new AbortController()
    const request = { name, userSpec, spec, wait: true, host: { namespace } }
    const plane = await driver.create(request, { ui: new RecordingUi(), signal })
    driver.calls.length = 0
    return plane
  }
}
