import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInLab } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { type Act, commandOf, prepareOperation, untilSettled } from './operator-operations.ts'
import { OperatorWorld } from './operator-world.ts'
import { type OperatorRound, planOperatorRounds } from './plan-operator-rounds.ts'

/** `npm run soak:operator` asks for sixty; with all other tests there are a few. */
const ROUNDS = Number(process.env['VPLANE_OPERATOR_ROUNDS'] ?? 3)
const SEED = Number(process.env['VPLANE_TEST_SEED'] ?? 20_261_128)
const TIMEOUT_MS = 900_000

/** How long after the last kill statuses are to be true, in milliseconds. */
const TRUTH_MS = 90_000
/** A pod may be replaced between two looks at it. */
const SECOND_LOOK_MS = 2000

const rounds = planOperatorRounds(SEED, ROUNDS)

describeInLab(
  `operations on declared planes while something is killed (seed ${SEED})`,
  { shuffle: false, timeout: TIMEOUT_MS },
  () => {
    let cli: HostCli
    let world: OperatorWorld
    let passed = 0
    let acknowledged = 0
    /** A round that failed leaves its planes in any state. */
    let isWhole = true

    beforeAll(async () => {
      cli = await createHostCli()
      if (rounds.some(({ operation }) => operation === 'an upgrade')) {
        await cli.lab.loadPlaneImages('1.35')
      }
      world = await OperatorWorld.create(cli)
    })
    afterAll(async () => {
      const failed = rounds.length - passed
      say(`seed ${SEED}: ${acknowledged} acknowledged writes were looked for`)
      say(`${passed} rounds passed, ${failed} failed`)
      await world[Symbol.asyncDispose]()
      await cli[Symbol.asyncDispose]()
    })

    test.for(rounds)('round $round: $operation, and $command by a command', async (round) => {
      if (!isWhole) {
        await world.clear()
      }
      isWhole = false
      const startedAt = performance.now()
      try {
        const act = await prepareOperation(world, round)
        const { killed, lastAt } = await strikeDuring(act, round)
        await untilTruthful(lastAt)
        await untilWhole(act, round)
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
        say(`${round.round}. ${round.operation} of ${act.plane.name}: ${killed} (${seconds} s)`)
      } catch (error) {
        say(`${round.round}. ${round.operation} failed:\n${await world.log().catch(String)}`)
        throw error
      }
      isWhole = true
      passed += 1
    })

    test('nothing is left when all ControlPlanes are deleted', async () => {
      await Promise.all(world.planes.map((plane) => world.startDeletion(plane)))
      for (const plane of world.planes.slice()) {
        await world.untilGone(plane)
      }

      await expect.poll(() => world.remains()).toEqual([])
    })

    /** Does what the round says, and returns what was killed meanwhile, and when the last of it was. */
    async function strikeDuring(act: Act, { command, kills, round }: OperatorRound) {
      const killed: string[] = []
      const strike = async () => {
        for (const kill of kills) {
          await delay(kill.afterMs)
          killed.push((await world.kill(kill)) ?? `no ${kill.victim}`)
        }
        return performance.now()
      }
      const words = commandOf(act.plane, command, round)
      const [lastAt] = await Promise.all([strike(), act.run(), words && explained(words)])
      return { killed: killed.join(', '), lastAt }
    }

    /** A command beside succeeds, or is refused with what to do. */
    async function explained(words: readonly string[]): Promise<void> {
      const { code, stderr } = await cli.run(words)
      expect(stderr, words.join(' ')).not.toContain('this is a bug')
      expect(code === 0 || stderr.includes('error: '), `${words.join(' ')}: ${stderr}`).toBe(true)
    }

    /** Waits as long as statuses may be outdated, or until they are true and final. */
    async function untilTruthful(lastAt: number): Promise<void> {
      const isOver = () => performance.now() - lastAt >= TRUTH_MS
      while (!isOver() && (await unsettled()).length > 0) {
        await delay(500)
      }
      await expectTruth()
    }

    async function unsettled(): Promise<string[]> {
      return (await Promise.all(world.planes.map((plane) => plane.unsettled()))).flat()
    }

    async function untruths(): Promise<string[]> {
      return (await Promise.all(world.planes.map((plane) => plane.untruths()))).flat()
    }

    async function expectTruth(): Promise<void> {
      const first = await untruths()
      if (first.length > 0) {
        await delay(SECOND_LOOK_MS)
        const second = await untruths()
        expect(second.length === 0 ? [] : [...first, ...second]).toEqual([])
      }
    }

    /** Waits until all planes are as they are to be, and looks for all writes. */
    async function untilWhole(
      { isEnd = false, plane }: Act,
      { command, round }: OperatorRound,
    ): Promise<void> {
      if (isEnd) {
        await world.untilGone(plane)
      }
      for (const one of world.planes) {
        await untilSettled(one)
        await one.startWriter()
      }
      const words = isEnd ? undefined : commandOf(plane, command, round)
      if (words !== undefined) {
        await cli.ok(words)
        await untilSettled(plane)
      }
      await expectTruth()
      for (const one of world.planes) {
        const found = await one.losses()
        acknowledged += found.acknowledged
        expect(found.lost).toEqual([])
      }
    }
  },
)

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
