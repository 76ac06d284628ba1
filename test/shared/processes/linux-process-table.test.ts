import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { linuxProcessTable } from '../../../src/shared/processes/linux-process-table.ts'

const PLANE = '/home/me/.local/share/vplane/planes/dev/'

test.for([
  ['with a plain name', '42 (etcd) S 1 42', 1, '987654'],
  ['with spaces and parentheses in its name', '42 (etcd) Z (x) S 1 42', 1, '987654'],
  ['with a line break in its name', '42 (a\nb) R 1 42', 1, '987654'],
  ['whose first thread has ended before the others', '42 (etcd) Z 1 42', 7, '987654'],
  ['in state Z, which is dead', '42 (etcd) Z 1 42', 1, undefined],
  ['in state X, which is dead', '42 (etcd) X 1 42', 1, undefined],
  ['in state x, which is dead', '42 (etcd) x 1 42', 1, undefined],
] as const)('reads the start time of a process %s', ([, beginning, threads, expected]) => {
  using proc = fakeProc({ '42/stat': statLine(beginning, '987654', threads) })

  expect(linuxProcessTable(proc.root).startTimeOf(42)).toBe(expected)
})

test('returns no start time of a process that does not exist', () => {
  using proc = fakeProc({})

  expect(linuxProcessTable(proc.root).startTimeOf(42)).toBeUndefined()
})

test('distinguishes boots of the machine', () => {
  using proc = fakeProc({ 'sys/kernel/random/boot_id': '7a0b1c6e\n' })

  expect(linuxProcessTable(proc.root).bootId()).toBe('7a0b1c6e')
})

test('finds processes by the words of their commands', () => {
  const commands = [
    ['/my bin/etcd', `--config-file=${PLANE}configuration/etcd.json`],
    ['vim', `${PLANE}plane.json`],
    [],
  ]
  const processes = commands.map((command, index) => processOf(11 + index, command))
  using proc = fakeProc(Object.assign({}, ...processes))
  const seen: string[][] = []

  const found = linuxProcessTable(proc.root, 1000).findByCommand((words) => {
    seen.push(words.filter((word) => word !== ''))
    return words.includes('vim')
  })

  expect(found).toEqual([12])
  expect(seen).toEqual(commands)
})

test('finds no process of another user with the same command', () => {
  using proc = fakeProc(processOf(11, ['etcd', `--config-file=${PLANE}etcd.json`], 1001))

  expect(linuxProcessTable(proc.root, 1000).findByCommand(() => true)).toEqual([])
})

test.skipIf(process.platform !== 'linux')('knows the processes of this machine', async () => {
  const marker = join(tmpdir(), `vplane-table-${process.pid}`, '')
  const args = ['-e', 'setInterval(() => {}, 60000)', '--', `--config-file=${marker}/x`]
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  const processId = child.pid ?? 0
  await once(child, 'spawn')
  const table = linuxProcessTable()
  const isMarked = (words: readonly string[]) => words.includes(`--config-file=${marker}/x`)
  await expect.poll(() => table.findByCommand(isMarked)).not.toEqual([])

  const startTime = table.startTimeOf(processId)

  expect(startTime).toMatch(/^\d+$/)
  expect(table.startTimeOf(process.pid)).not.toBe(startTime)
  expect(table.findByCommand(isMarked)).toEqual([processId])
  expect(table.bootId()).toMatch(/^[0-9a-f-]{36}$/)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(table.startTimeOf(processId)).toBeUndefined()
  expect(table.findByCommand(isMarked)).toEqual([])
})

test.skipIf(process.platform !== 'linux')('takes a real zombie for dead', async () => {
  // The shell does not wait for its child before its own end.
  const script = 'sleep 0 & echo $!; exec sleep 60'
  const parent = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [output] = await once(parent.stdout, 'data')

  await expect.poll(() => linuxProcessTable().startTimeOf(Number(output))).toBeUndefined()
  parent.kill('SIGKILL')
  await once(parent, 'exit')
})

function fakeProc(files: Record<string, string>): Disposable & { root: string } {
  const root = mkdtempSync(join(tmpdir(), 'vplane-proc-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) }
}

/** A line of 52 fields whose 20th is the number of threads and whose 22nd is the start time. */
function statLine(beginning: string, startTime: string, threads: number): string {
  const others = (count: number) => Array.from({ length: count }, () => '0').join(' ')
  return `${beginning} ${others(14)} ${threads} 0 ${startTime} ${others(30)}\n`
}

function processOf(id: number, command: readonly string[], user = 1000): Record<string, string> {
  return {
    [`${id}/cmdline`]: command.map((argument) => `${argument}\0`).join(''),
    [`${id}/status`]: `Name:\tx\nUid:\t${user}\t${user}\t${user}\t${user}\nGid:\t1\t1\t1\t1\n`,
  }
}
