import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  knownMinutes,
  minutesOf,
  SLICES,
  sliced,
  sliceOf,
  slowFiles,
} from '../../scripts/test/slow-files.ts'
import { packageRoot } from '../../src/shared/package-root.ts'

const ROOT = packageRoot()

/** A slice takes ten minutes at most, on a machine that has its days. */
const MOST_MINUTES = 9

test('every slow file is in one slice, and no slice takes long', () => {
  const files = slowFiles(ROOT)
  const minutes = knownMinutes(ROOT)

  const slices = sliced(files, minutes)

  expect(files.length).toBeGreaterThan(20)
  expect(slices).toHaveLength(SLICES)
  expect(slices.flat().toSorted()).toEqual(files)
  expect(Math.max(...slices.map((slice) => minutesOf(slice, minutes)))).toBeLessThan(MOST_MINUTES)
})

test('the minutes of every slow file are known, and none of a file that is not there', () => {
  const there = globSync('test/**/*.{lab,quiet-lab,slow-lab,integration,slow-integration}.ts', {
    cwd: ROOT,
  })
  const known = Object.keys(knownMinutes(ROOT))

  expect(slowFiles(ROOT).filter((file) => !known.includes(file))).toEqual([])
  expect(known.filter((file) => !there.includes(file))).toEqual([])
})

test('the longest files go to different slices', () => {
  const long = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
  const short = ['j', 'k']
  const minutes = Object.fromEntries(long.map((file, index) => [file, 12 - index]))

  const slices = sliced([...long, ...short], { ...minutes, j: 1, k: 1 })

  expect(slices).toEqual([...long.map((file) => [file]), short])
})

test('the hash of a commit chooses its slice; without one it is the first', () => {
  const commits = ['0', '1', '9', 'a', 'b'].map((digit) => digit.padStart(8, '0').padEnd(40, 'f'))

  expect(commits.map(sliceOf)).toEqual([0, 1, 9, 0, 1])
  expect(['', 'HEAD\n'].map(sliceOf)).toEqual([0, 0])
})
