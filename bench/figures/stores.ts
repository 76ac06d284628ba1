import { setTimeout as delay } from 'node:timers/promises'
import { alternate } from '../alternate.ts'
import { value } from '../compare.ts'
import type { Bench, Figure, Result } from '../figure.ts'
import { median } from '../statistics.ts'
import { createStorePlane, type StorePlane } from '../stores/store-plane.ts'
import { type MeasuredStore, openStores } from '../stores/stores.ts'

/** A plane that is created and deleted. */
const FIRST = 'first'
const FEW = 1000
const MANY = 10_000
/** Of one measurement of the speed. */
const UPDATES = 2000
/** Before the store is left alone, and its space is measured. */
const ALL_UPDATES = 100_000
/** kube-apiserver compacts every five minutes, and keeps the last five. */
const REST_MINUTES = 15

/** What a plane takes and does with each store. On demand, as it takes an hour. */
export const storesFigure: Figure = {
  name: 'stores',
  isOnDemand: true,
  async measure(bench) {
    const { rounds, say, workspace } = bench
    await using opened = await openStores(workspace)
    const { stores } = opened
    say('creating planes')
    const create = await byTurns(bench, stores, async ({ spec }) => {
      const made = ['create', FIRST, '--driver', 'local', '--file', spec, '--no-connect']
      const { ms } = await workspace.vplane(...made)
      await workspace.vplane('delete', FIRST, '--yes')
      return ms
    })
    await using stack = new AsyncDisposableStack()
    const planes = new Map<string, StorePlane>()
    for (const store of stores) {
      planes.set(store.name, stack.use(await createStorePlane(workspace, store)))
    }
    const of = ({ name }: MeasuredStore) => planeIn(planes, name)
    say('measuring them')
    const memory = await byTurns({ rounds: 1 }, stores, (store) => of(store).memory())
    const resume = await byTurns(bench, stores, (store) => of(store).resume())
    await byTurns({ rounds: 1 }, stores, async (store) => (await of(store).fillTo(FEW), 0))
    const spaceOfFew = await byTurns({ rounds: 1 }, stores, ({ space }) => space())
    const afterWrite = await byTurns(bench, stores, (store) => of(store).listAfterWrite())
    const writes = await byTurns(bench, stores, (store) => of(store).update(UPDATES, FEW))
    say('updating objects')
    const left = ALL_UPDATES - rounds * UPDATES
    await byTurns({ rounds: 1 }, stores, (store) => of(store).update(left, FEW))
    say('waiting for compactions')
    await delay(REST_MINUTES * 60_000, undefined, { signal: workspace.signal })
    const spaceAfter = await byTurns({ rounds: 1 }, stores, ({ space }) => space())
    say('restarting planes')
    const restart = await byTurns({ rounds: 1 }, stores, (store) => of(store).resume())
    const spaceRestarted = await byTurns({ rounds: 1 }, stores, ({ space }) => space())
    say('listing objects')
    await byTurns({ rounds: 1 }, stores, async (store) => (await of(store).fillTo(MANY), 0))
    const list = await byTurns(bench, stores, (store) => of(store).list())
    return [
      result('create', '`vplane create`', { unit: 'ms', samples: create }),
      result('memory', 'memory of the processes of a plane at rest, without servers of databases', {
        unit: 'MiB',
        samples: memory,
      }),
      result('resume', '`vplane resume`', { unit: 'ms', samples: resume }),
      result('space', `data on disk after ${FEW} objects`, { unit: 'MiB', samples: spaceOfFew }),
      result('writes', 'updates in a second, 16 at the same time', {
        unit: 'writes',
        samples: writes,
      }),
      result('space-after', `data on disk ${REST_MINUTES} minutes after ${ALL_UPDATES} updates`, {
        unit: 'MiB',
        samples: spaceAfter,
      }),
      result('restart', '`vplane resume` then, which shrinks the file of sqlite', {
        unit: 'ms',
        samples: restart,
      }),
      result('space-restarted', 'data on disk after this', {
        unit: 'MiB',
        samples: spaceRestarted,
      }),
      result('list-after-write', 'list of one kind just after a write of another', {
        unit: 'ms',
        samples: afterWrite,
      }),
      result('list', `list of ${MANY} objects`, { unit: 'ms', samples: list }),
    ]
  },
}

function byTurns(
  { rounds }: Pick<Bench, 'rounds'>,
  stores: readonly MeasuredStore[],
  measure: (store: MeasuredStore) => Promise<number>,
): Promise<Record<string, number[]>> {
  const measures = Object.fromEntries(stores.map((store) => [store.name, () => measure(store)]))
  return alternate<string>(rounds, measures)
}

function planeIn(planes: ReadonlyMap<string, StorePlane>, name: string): StorePlane {
  const plane = planes.get(name)
  if (plane === undefined) {
    throw new Error(`there is no plane "${name}"`)
  }
  return plane
}

/** The figure of etcd, with those of the other stores in a note. */
function result(
  name: string,
  what: string,
  { samples, unit }: Pick<Result, 'samples' | 'unit'>,
): Result {
  const medians = Object.entries(samples).map(
    ([store, of]) => `${store} ${median(of).toFixed(0)} ${unit}`,
  )
  return value({
    name: `stores-${name}`,
    what: `${what}, with etcd`,
    unit,
    of: 'etcd',
    samples,
    notes: [medians.join(', ')],
  })
}
