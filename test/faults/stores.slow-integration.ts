import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasToRunAll } from '../../scripts/test/phases.ts'
import { fieldAt } from '../../src/shared/json-fields.ts'
import { waitFor } from '../../src/shared/wait.ts'
import { type Informer, startInformer } from '../support/api/informer.ts'
import { type Cli, type CommandResult, createCli } from '../support/cli/cli.ts'
import {
  type ConfigMapWriter,
  lostOf,
  PATIENT,
  startWriter,
  untilTaken,
} from '../support/data/config-map-writer.ts'
import { noDatabases } from '../support/databases/database-program.ts'
import { openStore, type StoreName, type TestStore } from '../support/databases/open-store.ts'
import { createSmallDisk, type SmallDisk, whyNoSmallDisk } from '../support/machine/small-disk.ts'
import { randomNumbers } from '../support/random-numbers.ts'

const ROUNDS = Number(process.env['VPLANE_STORE_ROUNDS'] ?? 4)
const SEED = Number(process.env['VPLANE_TEST_SEED'] ?? 20_261_129)
/** Enough for the data of etcd twice, which an interrupted restore has. */
const ROOM_MIB = 1500
const RECOVERY_MS = 180_000
const ROUND_MS = 600_000
/** A client of a plane that works is answered within milliseconds. */
const STUCK_MS = 4000
/** A resume and a restore take about as long; those that are faster are killed earlier. */
const INTERRUPT_MS = 6000
const CUTS = 5
const LARGE_BYTES = 900_000

/** client-go tries again after a minute at most. */
const SEEN_MS = 120_000

const OF_PROCESS = ['its process is killed', 'its process hangs', 'the disk is full'] as const
const OF_SERVER = ['the server restarts', 'connections are cut', 'the disk is full'] as const

/** What happens to each store, by turns. */
const FAULTS = [
  ['etcd', [...OF_PROCESS, 'an interrupted restore']],
  ['sqlite', [...OF_PROCESS, 'an interrupted restore']],
  [
    'postgres',
    [...OF_SERVER, 'an interrupted restore', 'its process is killed', 'an interrupted resume'],
  ],
  [
    'mysql',
    [...OF_SERVER, 'an interrupted restore', 'its process is killed', 'an interrupted resume'],
  ],
  [
    'shared etcd',
    ['the server restarts', 'the disk is full', 'an interrupted restore', 'an interrupted resume'],
  ],
] as const satisfies ReadonlyArray<readonly [StoreName, readonly string[]]>

type Fault = (typeof FAULTS)[number][1][number]
type Strike = (writer: ConfigMapWriter) => Promise<void>

const noDisk = whyNoSmallDisk()

/** Whether tests of a store are left out here. etcd and sqlite need no server; where all has to run, none is left out. */
function isLeftOut(name: StoreName): boolean {
  const noServer = name === 'etcd' || name === 'sqlite' ? undefined : noDatabases()
  return !hasToRunAll(process.env, process.platform) && (noDisk ?? noServer) !== undefined
}

for (const [name, faults] of FAULTS) {
  const its = describe.skipIf(isLeftOut(name))
  its(`a plane whose store is ${name}, seed ${SEED}`, { shuffle: false }, () => {
    const random = randomNumbers(SEED)
    const taken: string[] = []
    let disk: SmallDisk
    let cli: Cli
    let store: TestStore
    let informer: Informer | undefined
    let changes = 0

    beforeAll(async () => {
      disk = createSmallDisk(ROOM_MIB)
      const [home, folder] = [join(disk.path, 'home'), join(disk.path, 'server')]
      mkdirSync(home)
      mkdirSync(folder)
      cli = await createCli({ root: home })
      store = await openStore(name, { parent: folder })
      await cli.ok(['create', 'dev', '--driver', 'local', '--file', spec(), '--connect'])
      informer = await startInformer(cli)
      await cli.kubectlOk(['create', '-f', writeLarge()])
    })
    afterAll(async () => {
      await informer?.[Symbol.asyncDispose]()
      await cli[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
      disk[Symbol.dispose]()
    })

    test.for(Array.from({ length: ROUNDS }, (_, index) => index))(
      'loses no acknowledged write, and watches continue: round %d',
      { timeout: ROUND_MS },
      async (round) => {
        await strike(faults[round % faults.length] ?? faults[0])

        expect(await lostOf(cli, ['dev'], taken)).toEqual([])
        await untilWritten(`round-${round}`)
        await informer?.sees(`round-${round}`, SEEN_MS)
        expect(informer?.isRunning()).toBe(true)
      },
    )

    test('is deleted, and leaves nothing', async () => {
      await cli.ok(['delete', 'dev', '--yes'])

      // The keeper of a shared etcd ends a little later.
      await expect.poll(() => cli.files(), { timeout: 60_000 }).toEqual([])
      expect((await store.server?.names())?.join() ?? '').not.toContain('vplane-dev')
    })

    async function strike(fault: Fault): Promise<void> {
      if (fault === 'an interrupted restore') {
        await whileWriting(async () => {})
        await interruptRestore()
      } else {
        await whileWriting(STRIKES[fault])
      }
    }

    const STRIKES: Record<Exclude<Fault, 'an interrupted restore'>, Strike> = {
      'its process is killed': async () => {
        process.kill(served(), 'SIGKILL')
        await cli.ok(['repair', 'dev', '--yes'])
      },
      'its process hangs': async (writer) => {
        const id = served()
        process.kill(id, 'SIGSTOP')
        await untilStuck(writer)
        process.kill(id, 'SIGCONT')
      },
      'the disk is full': async () => {
        await untilFull()
        disk.empty()
        // PostgreSQL and etcd end when they cannot write their logs.
        await store.server?.stop()
        await store.server?.start()
        await cli.ok(['repair', 'dev', '--yes'])
      },
      'the server restarts': async (writer) => {
        await store.server?.stop()
        await untilStuck(writer)
        await store.server?.start()
      },
      'connections are cut': async (writer) => {
        for (let cut = 0; cut < CUTS; cut += 1) {
          expect(await cutConnections()).toBeGreaterThan(0)
          await untilTaken(writer)
        }
      },
      'an interrupted resume': async () => {
        await interrupt(['resume', 'dev'], () => cli.ok(['pause', 'dev']))
        await cli.ok(['resume', 'dev'])
      },
    }

    /** A restore of all that there was before one more object, which is killed, and then run again. */
    async function interruptRestore(): Promise<void> {
      const file = join(cli.root, 'dev.snapshot')
      await cli.ok(['snapshot', 'create', 'dev', '--output', file, '--force'])
      const restore = ['restore', 'dev', '--from', file, '--force', '--yes']
      await interrupt(restore, () => cli.kubectlOk(['create', 'configmap', 'later']))
      await cli.ok(restore)
      expect((await cli.kubectl(['get', 'configmap', 'later'])).stderr).toContain('NotFound')
    }

    /** Kills a command while it runs. One that has ended before is prepared again, and killed earlier. */
    async function interrupt(
      command: readonly string[],
      prepare: () => Promise<unknown>,
    ): Promise<void> {
      let mostMs = INTERRUPT_MS
      let code: CommandResult['code'] = 0
      while (code === 0) {
        await prepare()
        const running = cli.start(command)
        await delay(200 + random() * mostMs)
        code = (await running.kill()).code
        mostMs /= 2
      }
      expect(code).toBe('SIGKILL')
    }

    /** Does something while someone writes, who is answered again in the end. */
    async function whileWriting(work: Strike): Promise<void> {
      const writer = await startWriter(cli, ['dev'], PATIENT)
      await untilTaken(writer)
      await work(writer)
      await untilTaken(writer)
      taken.push(...(await writer.stop()).taken)
    }

    /** Fills the disk until a large write fails: a store has some room in its files. */
    async function untilFull(): Promise<void> {
      const isFull = async () => {
        disk.fill()
        // kube-apiserver stores nothing when nothing has changed.
        changes += 1
        const change = ['annotate', 'configmap', 'large', `change=${changes}`, '--overwrite']
        return (await cli.kubectl(change)).code !== 0
      }
      await waitFor(isFull, { what: 'a full disk', timeoutMs: RECOVERY_MS, intervalMs: 10 })
    }

    /** Waits until no write is acknowledged any more. */
    async function untilStuck(writer: ConfigMapWriter): Promise<void> {
      let [count, since] = [-1, performance.now()]
      const isStuck = async () => {
        const now = (await writer.soFar()).length
        if (now !== count) {
          ;[count, since] = [now, performance.now()]
        }
        return performance.now() - since > STUCK_MS
      }
      await waitFor(isStuck, { what: 'writes that fail', timeoutMs: RECOVERY_MS, intervalMs: 250 })
    }

    async function untilWritten(name: string): Promise<void> {
      const write = async () => (await cli.kubectl(['create', 'configmap', name])).code === 0
      await waitFor(write, { what: name, timeoutMs: RECOVERY_MS })
    }

    /** The process that serves the data. */
    function served(): number {
      const { etcd, kine } = cli.ids()
      return kine ?? etcd ?? 0
    }

    /** An object of 900 KB. */
    function writeLarge(): string {
      const path = join(cli.root, 'large.json')
      const text = randomBytes(LARGE_BYTES / 2).toString('hex')
      const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'large' } }
      writeFileSync(path, JSON.stringify({ ...object, data: { text } }))
      return path
    }

    /** Ends all connections of kine. Returns how many there were. */
    async function cutConnections(): Promise<number> {
      const { database } = store
      const ofPlane = "LIKE 'vplane-dev-%'"
      if (database?.kind === 'postgres') {
        const cut = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename'
        return (await database.query(`${cut} ${ofPlane}`)).length
      }
      const list = 'SELECT id FROM information_schema.processlist WHERE user'
      const connections = (await database?.query(`${list} ${ofPlane}`)) ?? []
      for (const connection of connections) {
        // One may have ended meanwhile.
        await database?.query(`KILL ${Number(fieldAt(connection, 'id'))}`).catch(() => {})
      }
      return connections.length
    }

    function spec(): string {
      const path = join(cli.root, 'dev.json')
      writeFileSync(path, JSON.stringify({ store: store.spec }))
      return path
    }
  })
}
