import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextStep } from '../../../src/etcd/planner/next-step.ts'
import { isStep } from '../../../src/etcd/planner/observed-etcd.ts'
import { SimulatedEtcd } from './simulated-etcd.ts'

/** Sequences that each run tries. */
const SEQUENCES = 10_000

/** How many steps are enough to reach what is wanted from anywhere. */
const MOST_STEPS = 150

type Event =
  | { kind: 'step'; unknown: readonly number[]; isRepeated: boolean }
  | { kind: 'settle' }
  | { kind: 'damage'; ordinal: number; how: 'wipe' | 'corrupt' | 'kill' }
  | { kind: 'stop' | 'start'; ordinal: number }
  | { kind: 'alarm'; ordinal: number; isRaised: boolean }
  | { kind: 'want'; count: number }
  | { kind: 'change-template' }

/** The numbers of members that a spec takes. */
const counts = fc.constantFrom(1, 3, 5)
const ordinals = fc.integer({ min: 0, max: 4 })
const events: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('step' as const),
      unknown: fc.oneof(
        { weight: 3, arbitrary: fc.constant<number[]>([]) },
        fc.uniqueArray(ordinals),
      ),
      isRepeated: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.constant({ kind: 'settle' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('damage' as const),
      ordinal: ordinals,
      how: fc.constantFrom('wipe' as const, 'corrupt' as const, 'kill' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('want' as const),
      count: counts,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'change-template' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('stop' as const, 'start' as const),
      ordinal: ordinals,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('alarm' as const),
      ordinal: ordinals,
      isRaised: fc.boolean(),
    }),
  },
)

const STEP = { kind: 'step' as const, unknown: [], isRepeated: false }

/** A member loses its data when it has just got its vote, before etcd knows its name. */
const LOST_WITH_ITS_VOTE = {
  count: 3 as const,
  isEphemeral: false,
  happened: [
    { kind: 'want' as const, count: 5 as const },
    STEP,
    STEP,
    STEP,
    { kind: 'settle' as const },
    STEP,
    STEP,
    { kind: 'damage' as const, ordinal: 3, how: 'wipe' as const },
  ],
}

test('after any states, wishes and interruptions etcd keeps its majority and data, and becomes what is wanted', () => {
  const sequence = fc.record({
    count: counts,
    isEphemeral: fc.boolean(),
    happened: fc.array(events, { maxLength: 40 }),
  })
  fc.assert(
    fc.property(sequence, ({ count, happened, isEphemeral }) => {
      const etcd = new SimulatedEtcd({ count, isEphemeral })
      for (const event of happened) {
        happen(etcd, event)
      }
      finish(etcd)
    }),
    { numRuns: SEQUENCES, examples: [[LOST_WITH_ITS_VOTE]] },
  )
})

function happen(etcd: SimulatedEtcd, event: Event): void {
  switch (event.kind) {
    case 'step': {
      const plan = nextStep(etcd.observe(event.unknown), etcd.wanted)
      if (isStep(plan)) {
        etcd.apply(plan)
        if (event.isRepeated) {
          // Its answer was lost, and it was sent again.
          etcd.apply(plan)
        }
      }
      return
    }
    case 'settle':
      return etcd.settle()
    case 'damage':
      etcd.damage(event.ordinal, event.how)
      return
    case 'stop':
    case 'start':
      return etcd.setStopped(event.ordinal, event.kind === 'stop')
    case 'alarm':
      return etcd.setAlarm(event.ordinal, event.isRaised ? 'NOSPACE' : undefined)
    case 'want':
      etcd.wanted.count = event.count
      return
    case 'change-template':
      etcd.revision += 1
  }
}

function finish(etcd: SimulatedEtcd): void {
  const trace: string[] = []
  for (let ordinal = 0; ordinal < 9; ordinal += 1) {
    etcd.setStopped(ordinal, false)
    etcd.setAlarm(ordinal, undefined)
  }
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const plan = nextStep(etcd.observe(), etcd.wanted)
    trace.push(JSON.stringify(plan))
    if (isStep(plan)) {
      etcd.apply(plan)
    } else if (plan.kind === 'done') {
      return expectWanted(etcd)
    } else if (plan.kind === 'stuck') {
      expect(plan.why, trace.join('\n')).toBe('data-in-pod')
      expect(etcd.wanted).toEqual({ count: 1, isEphemeral: true })
      return
    }
    etcd.settle()
  }
  expect.fail(
    `not done:\n${trace.slice(-30).join('\n')}\n${JSON.stringify(etcd.observe(), null, 1)}`,
  )
}

function expectWanted(etcd: SimulatedEtcd): void {
  const { count } = etcd.wanted
  const observed = etcd.observe()
  const members = etcd.members.map(({ isLearner, ordinal }) => ({ isLearner, ordinal }))
  expect(members.toSorted((one, other) => one.ordinal - other.ordinal)).toEqual(
    Array.from({ length: count }, (_, ordinal) => ({ isLearner: false, ordinal })),
  )
  expect(observed).toMatchObject({ replicas: count, joining: undefined, staleAlarms: [] })
  expect(observed.places).toHaveLength(count)
  for (const { pod, works } of observed.places) {
    expect({ works, isStale: pod?.isStale }).toEqual({ works: 'yes', isStale: false })
  }
}
