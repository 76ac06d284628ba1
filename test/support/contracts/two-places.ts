import type { Plane } from '../../../src/control-plane/plane/plane.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import { abortMove } from '../../../src/control-plane/use-cases/move/abort-move.ts'
import {
  moveControlPlane,
  type MoveOptions,
} from '../../../src/control-plane/use-cases/move/move-control-plane.ts'
import { FakeComposition } from '../driver/fake-composition.ts'
import { FakeDriver } from '../driver/fake-driver.ts'
import { temporarySnapshots } from '../cli/temporary-snapshots.ts'

const DEATH = new Error('cut off')

/** What the plane of two places stores. */
export const CONFIG_MAP = '/api/v1/namespaces/default/configmaps/mine'

/** Where it can go. */
export const THERE = {
  name: 'dev',
  driver: 'kubernetes',
  namespace: 'team',
  hostContext: 'work',
} as const

export type TwoPlaces = Awaited<ReturnType<typeof twoPlaces>>

/** A plane of this machine, and a host cluster that it can go to. */
export async function twoPlaces(userSpec: UserSpec = {}, answers: boolean[] = []) {
  const store = await temporarySnapshots()
  const here = new FakeDriver()
  const there = new FakeDriver({ name: 'kubernetes', hostContext: 'work' })
  const composition = new FakeComposition({ ...store, drivers: [here, there], answers })
  const { signal } = new AbortController()
  const plane: Plane = await composition.plane('dev', userSpec)
  here.inside(plane).api.put(CONFIG_MAP, configMap('mine'))
  const options: MoveOptions = {
    name: 'dev',
    chooseTarget: () =>
      Promise.resolve({ driver: there, host: { namespace: 'team' }, hostContext: 'work' }),
    keepSource: false,
    isConfirmed: true,
    isDryRun: false,
    timeoutMs: 2000,
    signal,
  }
  return Object.assign(composition, {
    here,
    there,
    source: plane,
    snapshots: store.snapshots,
    operation: { ui: composition.ui, signal },
    move: (said: Partial<MoveOptions> = {}) =>
      moveControlPlane(composition, { ...options, ...said }),
    abort: (said: Partial<MoveOptions> = {}) => abortMove(composition, { ...options, ...said }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  })
}

/** Cuts the next move off when it has noted that it was handed over, and nothing more. */
export function dieOnceHandedOver({ here: { moves } }: TwoPlaces): void {
  const leave = moves.leave.bind(moves)
  moves.leave = (plane, request) => {
    moves.leave = leave
    const transfer: typeof request.transfer = (handOver) =>
      request.transfer(async (...words) => {
        await handOver(...words)
        throw DEATH
      })
    return leave(plane, { ...request, transfer })
  }
}

/** Lets no kube-apiserver run where planes go. */
export function breakThere({ there }: TwoPlaces): void {
  const create = there.create.bind(there)
  there.create = async (...request) => {
    const made = await create(...request)
    there.create = create
    const inside = there.inside(made)
    inside.broken.add('kube-apiserver')
    inside.hasControllers = false
    return made
  }
}

/** Lets the next call of something fail, and only that. */
export function failOnce<Key extends string>(
  target: Record<Key, (...words: never[]) => unknown>,
  key: Key,
): void {
  const own = target[key]
  target[key] = () => {
    target[key] = own
    return Promise.reject(DEATH)
  }
}

/** Tells what changes a plane from what looks at it. */
export function isChange(call: string): boolean {
  return /^(create|start|restore|leave|take back|return|remove)/.test(call)
}

export function configMap(name: string) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }
}
