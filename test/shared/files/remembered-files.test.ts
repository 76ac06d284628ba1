import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { RememberedFiles } from '../../../src/shared/files/remembered-files.ts'
import { readTextFile } from '../../../src/shared/files/read-text-file.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'

let path: string
let reads: number
/** A minute after the files of a test are written. */
let files: RememberedFiles<string>

beforeEach(async () => {
  const folder = await temporaryFolder()
  path = join(folder.path, 'plane.json')
  reads = 0
  files = new RememberedFiles(() => Date.now() + 60_000)
  return folder[Symbol.asyncDispose]
})

function get(from = files): string | undefined {
  return from.get(path, () => {
    reads += 1
    return readTextFile(path)
  })
}

/** As a record is written: beside the former one, which it replaces. */
function replace(text: string): void {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

test('reads a file once while it is the same', () => {
  replace('one')

  expect([get(), get(), get()]).toEqual(['one', 'one', 'one'])
  expect(reads).toBe(1)
})

test('reads a file again that was replaced by one of the same size', () => {
  replace('one')
  get()
  replace('two')

  expect(get()).toBe('two')
})

test('notices that a file is gone, and that there is one again', () => {
  const before = get()
  replace('one')
  const there = get()
  rmSync(path)
  const gone = get()
  replace('two')

  expect([before, there, gone, get()]).toEqual([undefined, 'one', undefined, 'two'])
})

test('reads a file that was just written again: another could look the same', () => {
  const now = new RememberedFiles<string>()
  replace('one')

  expect([get(now), get(now)]).toEqual(['one', 'one'])
  expect(reads).toBe(2)
})

test('does not remember an error', () => {
  replace('one')
  const failing = () =>
    files.get(path, () => {
      throw new Error('damaged')
    })

  expect(failing).toThrow('damaged')
  expect(get()).toBe('one')
})

test('forgets files that are not listed any more', () => {
  replace('one')
  get()
  files.retain(new Set())

  expect([get(), reads]).toEqual(['one', 2])
})
