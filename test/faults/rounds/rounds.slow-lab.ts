import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { describeInOwnLab } from '../../lab/describe-lab.ts'
import type { RunningCommand } from '../../support/cli/cli.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { killContainer } from '../../support/host/damage/kill-container.ts'
import { randomNumbers } from '../../support/random-numbers.ts'
import { type Attempt, killDuring } from './kill-during.ts'
import { leastMs, type Operation, planRounds, type Round, type Victim } from './plan-rounds.ts'
import { type Command, PASSPHRASE, PLANE, RoundPlane } from './round-plane.ts'
import { roundLine, type RoundResult, summaryLine, summaryOf } from './round-summary.ts'
import { fieldAt } from '../../../src/shared/json-fields.ts'

/** `npm run soak:faults` asks for sixty; with all other tests there are a few. */
const ROUNDS = Number(process.env['VPLANE_FAULT_ROUNDS'] ?? 6)
/** The first round that runs, to repeat one that failed. */
const FIRST = Number(process.env['VPLANE_FAULT_FIRST'] ?? 1)
const SEED = Number(process.env['VPLANE_TEST_SEED'] ?? 20_261_122)
/** File for what came of all rounds, as JSON. */
const SUMMARY = process.env['VPLANE_FAULT_SUMMARY']
const TIMEOUT_MS = 900_000

/** How often an operation is carried out that was over before something died. */
const TRIES = 2
/** The part of an operation that is taken for all of it, as the next one may be quicker. */
const MOST = 0.7
/** The part of all rounds in which something has to have died. */
const HITS = 0.8

const rounds = planRounds(SEED, ROUNDS).slice(FIRST - 1)

/** The one that can be upgraded needs images that a host cluster does not have yet. */
const VERSION = rounds.some(({ operation }) => operation === 'an upgrade') ? '1.35' : '1.36'

describeInOwnLab(
  `operations on a plane of which something is killed (seed ${SEED})`,
  { shuffle: false, timeout: TIMEOUT_MS },
  () => {
    const random = randomNumbers(SEED)
    const results: RoundResult[] = []
    /** A round that failed leaves its plane in any state. */
    let isWhole = true
    /** How long operations took the last time. */
    const measuredMs = new Map<Operation, number>()
    let cli: HostCli
    let plane: RoundPlane
    let running: RunningCommand | undefined

    beforeAll(async () => {
      cli = await createHostCli()
      await cli.lab.loadPlaneImages(VERSION)
      plane = new RoundPlane(cli, VERSION)
      await plane.make(rounds[0]?.isSynced ?? false, false)
    })
    afterAll(async () => {
      const summary = summaryOf(SEED, rounds.length, results)
      process.stderr.write(`${summaryLine(summary)}\n`)
      if (SUMMARY !== undefined) {
        writeFileSync(SUMMARY, `${JSON.stringify(summary, null, 2)}\n`)
      }
      await plane.stopWriter()
      await cli[Symbol.asyncDispose]()
    })

    test.for(rounds)(
      'round $round: $operation ends well though $victim is killed',
      async (round) => {
        if (round.isSynced !== plane.isSynced || !isWhole) {
          await plane.make(round.isSynced)
        }
        isWhole = false

        const attempt = await strikeDuring(round)
        const checked = await plane.check(round.operation)

        const result = { ...round, ...attempt, ...checked }
        results.push(result)
        process.stderr.write(`${roundLine(result)}\n`)
        expect(checked.lost).toBe(0)
        isWhole = true
      },
    )

    test('something has really died during nearly all of them', () => {
      const { hits } = summaryOf(SEED, ROUNDS, results)

      expect(hits / results.length).toBeGreaterThanOrEqual(HITS)
    })

    /** Carries an operation out, once more when nothing has died meanwhile. */
    async function strikeDuring({ after, follower, isCutOff, operation, round, victim }: Round) {
      let attempt: Attempt | undefined
      for (let count = 0; count < TRIES && attempt?.killed === undefined; count += 1) {
        const commands = await plane.prepare[operation](round)
        const afterMs = after * (measuredMs.get(operation) ?? leastMs(operation))
        const follow = () => plane.follow(follower, round)
        attempt = await killDuring(() => carryOut(commands, follow), {
          afterMs,
          strike: async (isOver) => {
            const killed = await kill(victim, isOver)
            if (killed !== undefined && isCutOff) {
              running?.child.kill('SIGKILL')
            }
            return killed
          },
        })
        // One of which something was killed took longer than it would have: most of it is sure to come again.
        measuredMs.set(operation, MOST * attempt.lastedMs)
      }
      return attempt ?? { lastedMs: 0 }
    }

    /** Runs one command after the other, and each again when it did not end well, after someone else's. */
    async function carryOut(
      commands: readonly Command[],
      follow: () => Promise<void>,
    ): Promise<void> {
      for (const { doneCode = 0, words } of commands) {
        running = cli.start(words, { env: PASSPHRASE })
        const { code } = await running.ended
        running = undefined
        if (code !== 0) {
          await follow()
          const again = await cli.run(words, { env: PASSPHRASE })
          expect([0, doneCode], `${words.join(' ')}:\n${again.stderr}`).toContain(again.code)
        }
      }
    }

    async function kill(victim: Victim, isOver: () => boolean): Promise<string | undefined> {
      if (victim === 'vplane') {
        return running?.child.kill('SIGKILL') ? 'vplane' : undefined
      }
      const selector =
        victim === 'keeper'
          ? 'vplane.dev/shared=keeper'
          : `vplane.dev/name=${PLANE},vplane.dev/component=${victim}`
      const pods = ['get', 'pods', '--all-namespaces', '--selector', selector, '--output', 'json']
      const { items }: { items: KubeObject[] } = JSON.parse(await cli.host(pods))
      const containers = items.flatMap(containersOf)
      const [container] = containers.slice(Math.floor(random() * containers.length))
      const isGone = container === undefined || isOver() || killContainer(container.id) === 0
      return isGone ? undefined : `${container.name} of ${container.pod}`
    }
  },
)

/** The containers of a pod that run. */
function containersOf({
  metadata,
  status,
}: KubeObject): Array<Record<'id' | 'name' | 'pod', string>> {
  const found = fieldAt(status, 'containerStatuses')
  return (Array.isArray(found) ? found : [])
    .filter((container) => fieldAt(container, 'state', 'running') !== undefined)
    .map((container) => ({
      id: String(fieldAt(container, 'containerID')),
      name: String(fieldAt(container, 'name')),
      pod: String(metadata.name),
    }))
}
