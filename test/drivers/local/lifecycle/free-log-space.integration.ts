import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { freeLogSpace } from '../../../../src/drivers/local/lifecycle/free-log-space.ts'
import { type EtcdProcesses, etcdProcesses } from '../../../etcd/etcd-processes.ts'

const SCRIPT = fileURLToPath(new URL('./free-log-space-process.ts', import.meta.url))
const FIRST = '0000000000000000-0000000000000000.wal'
const ROUNDS = 40
const LOG_BYTES = 64_000_000
const VALUE_BYTES = 1_400_000
/** A single member elects itself sooner. */
const settings = { 'heartbeat-interval': '10', 'election-timeout': '100' }

/** Starts an etcd of one member, and stores large values under keys that `keys` does not return. Returns their bytes. */
async function startFilled(etcd: EtcdProcesses, count: number): Promise<number> {
  await etcd.start(0, [0], 'new')
  await put(etcd, 'a')
  let puts = 0
  for (let index = 0; index < count; index += 1) {
    puts += await put(etcd, `Z${index}`, randomBytes(VALUE_BYTES / 2).toString('hex'))
  }
  return puts * VALUE_BYTES
}

/** Returns how often it tried, which etcd may all have stored. */
async function put(etcd: EtcdProcesses, key: string, value?: string): Promise<number> {
  let tries = 0
  const stored = () => {
    tries += 1
    return etcd.put(key, value)
  }
  await expect.poll(stored).toBe(true)
  return tries
}

async function restart(etcd: EtcdProcesses, keys: readonly string[]): Promise<void> {
  await etcd.start(0, [0])
  await expect.poll(() => etcd.keys(), { interval: 20 }).toEqual(keys)
}

function logFolder(etcd: EtcdProcesses): string {
  return join(etcd.data(0), 'member/wal')
}

function logHash(folder: string): string {
  const hash = createHash('sha1')
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.wal'))) {
    hash.update(name).update(readFileSync(join(folder, name)))
  }
  return hash.digest('hex')
}

function spaceOf(folder: string): number {
  const blocks = readdirSync(folder).map((name) => statSync(join(folder, name)).blocks)
  return blocks.reduce((sum, one) => sum + one, 0) * 512
}

/** Frees the space in another process, which is killed after a time. Returns how long it worked, and whether to its end. */
async function freeFor(folder: string, killAfterMs: number) {
  const child = spawn(process.execPath, [SCRIPT, folder], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  const begun = performance.now()
  const ended = once(child, 'exit')
  child.stdin.write('go\n')
  await Promise.race([ended, sleep(killAfterMs, undefined, { ref: false })])
  child.kill('SIGKILL')
  const [code] = await ended
  return { durationMs: performance.now() - begun, isDone: code === 0 }
}

test('loses no write when it is killed at any moment', async () => {
  await using etcd = await etcdProcesses({ settings })
  await startFilled(etcd, 4)
  const folder = logFolder(etcd)
  await etcd.stop(0)
  const { durationMs } = await freeFor(folder, 60_000)
  const keys = ['a']
  let kills = 0

  for (let round = 0; round <= ROUNDS; round += 1) {
    await restart(etcd, keys)
    const key = `k${String(round).padStart(3, '0')}`
    await put(etcd, key)
    keys.push(key)
    await etcd.stop(0)
    const before = logHash(folder)

    const { isDone } = await freeFor(folder, (1.5 * durationMs * round) / ROUNDS)

    expect(logHash(folder)).toBe(before)
    kills += isDone ? 0 : 1
  }

  await restart(etcd, keys)
  expect(kills).toBeGreaterThan(ROUNDS / 10)
})

test.for([
  ['an empty copy', (path: string) => writeFileSync(`${path}.tmp`, '')],
  [
    'a part of a copy',
    (path: string) => writeFileSync(`${path}.tmp`, readFileSync(path).subarray(0, 10_000)),
  ],
  [
    'a complete copy',
    (path: string) => {
      writeFileSync(`${path}.tmp`, readFileSync(path).subarray(0, VALUE_BYTES * 3))
      truncateSync(`${path}.tmp`, LOG_BYTES)
    },
  ],
] as const)('etcd ignores %s, which the next call deletes', async ([, leave]) => {
  await using etcd = await etcdProcesses({ settings })
  await startFilled(etcd, 1)
  const folder = logFolder(etcd)
  await etcd.stop(0)
  await freeLogSpace(folder)
  leave(join(folder, FIRST))

  await restart(etcd, ['a'])
  await put(etcd, 'b')
  await etcd.stop(0)
  const left = readdirSync(folder)
  await freeLogSpace(folder)
  await restart(etcd, ['a', 'b'])

  expect(left.toSorted()).toEqual(['0.tmp', FIRST, `${FIRST}.tmp`])
  expect(readdirSync(folder).toSorted()).toEqual(['0.tmp', FIRST])
})

test('frees what a log of several files does not use, and etcd continues in the last of them', async () => {
  const count = 2 + LOG_BYTES / VALUE_BYTES
  await using etcd = await etcdProcesses({ settings })
  const bytes = await startFilled(etcd, count)
  const folder = logFolder(etcd)
  await etcd.stop(0)
  const files = readdirSync(folder).filter((name) => name.endsWith('.wal'))
  const before = logHash(folder)

  await freeLogSpace(folder)

  expect(files).toHaveLength(2)
  expect(logHash(folder)).toBe(before)
  expect(spaceOf(folder)).toBeLessThan(bytes + VALUE_BYTES)
  await restart(etcd, ['a'])
  await put(etcd, 'b')
  await etcd.stop(0)
  await restart(etcd, ['a', 'b'])
})

test('changes nothing while etcd runs', async () => {
  await using etcd = await etcdProcesses({ settings })
  await startFilled(etcd, 0)
  const folder = logFolder(etcd)
  const filesOf = () => readdirSync(folder).map((name) => [name, statSync(join(folder, name)).ino])
  const before = filesOf()

  await expect(freeLogSpace(folder)).rejects.toThrow('another program uses')

  expect(filesOf()).toEqual(before)
  await put(etcd, 'b')
  await etcd.stop(0)
  await freeLogSpace(folder)
  expect(spaceOf(folder)).toBeLessThan(100_000)
  await restart(etcd, ['a', 'b'])
})
