import { spawnSync } from 'node:child_process'
import { chmod, mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lockFile } from '../../../src/kubeconfig/file/lock-file.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const LONG_AGO = new Date('2020-01-01')

test("creates client-go's lock file and removes it", async () => {
  const folder = await temporaryFolder()

  const lock = await lockFile(join(folder, 'config'))
  const locked = await readdir(folder)
  const { mode } = await stat(join(folder, 'config.lock'))
  await lock[Symbol.asyncDispose]()

  expect(locked).toEqual(['config.lock'])
  expect(mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual([])
})

test('admits one program after the other', async () => {
  expect(await mostInside(join(await temporaryFolder(), 'config'))).toBe(1)
})

test('waits for another program to release its lock', async () => {
  const file = join(await temporaryFolder(), 'config')
  await writeFile(`${file}.lock`, '')

  const waiting = lockFile(file)
  await rm(`${file}.lock`)
  await using lock = await waiting

  expect(lock).toBeDefined()
})

test('names the lock and how to remove it when another program keeps it', async () => {
  const file = join(await temporaryFolder(), "it's config")
  await writeFile(`${file}.lock`, '')

  await expect(lockFile(file, { timeoutMs: 50 })).rejects.toMatchObject({
    code: 'CONFLICT',
    message: `another program keeps "${file}" locked by "${file}.lock"`,
    hints: [expect.any(String), expect.stringContaining(`rm '${file.replace("'", `'\\''`)}.lock'`)],
  })
  expect((await stat(`${file}.lock`)).size).toBe(0)
})

test('lets only one of many take over the lock of a vplane that was killed', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'config')
  await leaveLock(file, `vplane ${deadProcessId()} ${hostname()}\n`)

  expect(await mostInside(file)).toBe(1)
  expect(await readdir(folder)).toEqual([])
})

test.for([
  ['of a vplane that lives', `vplane ${process.pid} ${hostname()}\n`, LONG_AGO],
  ['of another machine', 'vplane DEAD elsewhere\n', LONG_AGO],
  ['of a moment ago', `vplane DEAD ${hostname()}\n`, undefined],
  ['of another program', '', LONG_AGO],
  ['half written', 'vplane DEAD', LONG_AGO],
] as const)('leaves a lock %s alone', async ([, content, writtenAt]) => {
  const file = join(await temporaryFolder(), 'config')
  // When the test runs: on a busy machine that is not when its file was read.
  await leaveLock(file, content.replace('DEAD', String(deadProcessId())), writtenAt ?? new Date())

  await expect(lockFile(file, { timeoutMs: 50 })).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await readdir(join(file, '..'))).toEqual(['config.lock'])
})

test('stops waiting when it is interrupted', async () => {
  const file = join(await temporaryFolder(), 'config')
  await writeFile(`${file}.lock`, '')
  const controller = new AbortController()

  const waiting = lockFile(file, { signal: controller.signal })
  controller.abort()

  await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' })
})

test('reports that the folder of a lock is missing', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'file'), '')

  const locking = lockFile(join(folder, 'file', 'config'))

  const message = expect.stringContaining('its path leads through a file')
  await expect(locking).rejects.toMatchObject({ code: 'FAILED', message })
})

test.skipIf(process.getuid?.() === 0)('reports a read-only folder (root may write)', async () => {
  const folder = join(await temporaryFolder(), 'kube')
  await mkdir(folder)
  await chmod(folder, 0o500)

  const message = expect.stringContaining('permission denied')
  await expect(lockFile(join(folder, 'config'))).rejects.toMatchObject({ code: 'FAILED', message })
})

/** How many of eight that lock a file at the same time are inside at once. */
async function mostInside(file: string): Promise<number> {
  let inside = 0
  let most = 0
  const enter = async () => {
    const lock = await lockFile(file)
    inside += 1
    most = Math.max(most, inside)
    await readdir(join(file, '..'))
    inside -= 1
    await lock[Symbol.asyncDispose]()
  }
  await Promise.all(Array.from({ length: 8 }, enter))
  return most
}

async function leaveLock(file: string, content: string, writtenAt = LONG_AGO): Promise<void> {
  await writeFile(`${file}.lock`, content)
  await utimes(`${file}.lock`, writtenAt, writtenAt)
}

function deadProcessId(): number {
  return spawnSync(process.execPath, ['--version']).pid
}
