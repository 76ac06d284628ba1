import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../machine/run-command.ts'
import { tar, type TarEntry } from './tar.ts'

const ENTRIES: TarEntry[] = [
  { path: 'usr', type: 'folder' },
  { path: 'usr/tmp', type: 'folder', mode: 0o1777 },
  { path: 'usr/program', type: 'file', data: Buffer.from('x'.repeat(513)) },
  { path: 'usr/empty', type: 'file', mode: 0o644 },
  { path: 'usr/link', type: 'link', mode: 0o777, target: 'program' },
]

// Other systems' tar says the same in other words.
test.runIf(process.platform === 'linux')(
  'writes what tar reads: folders, files, links and their permissions',
  async () => {
    const listed = await tarOf(ENTRIES, '--list', '--verbose', '--numeric-owner', '--utc')

    expect(listed.split('\n').map((line) => line.replaceAll(/\s+/g, ' '))).toEqual([
      'drwxr-xr-x 0/0 0 1970-01-01 00:00 usr/',
      'drwxrwxrwt 0/0 0 1970-01-01 00:00 usr/tmp/',
      '-rwxr-xr-x 0/0 513 1970-01-01 00:00 usr/program',
      '-rw-r--r-- 0/0 0 1970-01-01 00:00 usr/empty',
      'lrwxrwxrwx 0/0 0 1970-01-01 00:00 usr/link -> program',
    ])
  },
)

test('gives back what a file holds', async () => {
  expect(await tarOf(ENTRIES, '--extract', '--to-stdout', 'usr/program')).toBe('x'.repeat(513))
})

test('fills the last block and ends with two empty ones', () => {
  const pieces = tar([{ path: 'a', type: 'file', data: Buffer.from('a') }])

  expect(pieces.map((piece) => piece.length)).toEqual([512, 1, 511, 1024])
})

test('says in a record what a header cannot, with a length that counts its own digits', () => {
  const value = Buffer.alloc(80, 'v')

  const [header, body, , file] = tar([
    { path: 'bin/program', type: 'file', data: Buffer.from('a'), records: { 'SCHILY.x': value } },
  ])

  expect(header?.toString('latin1', 156, 157)).toBe('x')
  expect(body?.toString()).toBe(`93 SCHILY.x=${value.toString()}\n`)
  expect(body?.length).toBe(93)
  expect(file?.toString('latin1', 0, 11)).toBe('bin/program')
})

test.for([5, 6, 7, 94, 95, 96, 992, 993, 994])(
  'counts the digits of a length when the value has %i bytes',
  (size) => {
    const records = { n: Buffer.alloc(size, 'v') }

    const [, body] = tar([{ path: 'a', type: 'file', records }])

    expect(body?.toString()).toBe(`${body?.length} n=${'v'.repeat(size)}\n`)
  },
)

test('refuses names that do not fit into a header', () => {
  expect(() => tar([{ path: 'a'.repeat(101), type: 'file' }])).toThrow(/too long/)
})

async function tarOf(entries: readonly TarEntry[], ...args: string[]): Promise<string> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'lab-tar-'))
  const file = join(folder.path, 'archive.tar')
  await writeFile(file, tar(entries))
  return await runCommand('tar', ['--file', file, ...args])
}
