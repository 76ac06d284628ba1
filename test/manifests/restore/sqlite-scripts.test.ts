import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import {
  PLACE_SQLITE_SCRIPT,
  PUT_BACK_SQLITE_SCRIPT,
} from '../../../src/manifests/restore/restore-scripts.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'

const run = promisify(execFile)
const FORMER = 'kine-before-now'
const OLD = { 'state.db': 'old', 'state.db-wal': 'its writes' }
const PLACED = { 'state.db': 'new', [`${FORMER}/state.db`]: 'old' }
const ASIDE = { ...PLACED, [`${FORMER}/state.db-wal`]: 'its writes' }

test.for([
  ['moves the file aside, with those beside it', OLD, ASIDE],
  ['makes the file of an empty volume', {}, { 'state.db': 'new' }],
  [
    'continues when one of them was moved',
    { 'state.db': 'old', 'aside/state.db-wal': 'its writes' },
    ASIDE,
  ],
  ['continues when all of them were moved', { 'aside/state.db': 'old' }, PLACED],
  [
    'keeps the data from before another attempt, without what is beside the file of that',
    {
      'state.db': 'other',
      'state.db-wal': 'more',
      [`${FORMER}/state.db`]: 'old',
      'restored-of': `${FORMER} other`,
    },
    PLACED,
  ],
  [
    'leaves a file alone that it put in place before',
    {
      'state.db': 'newer',
      [`${FORMER}/state.db`]: 'old',
      'restored-of': `${FORMER} abc`,
      'restored/state.db': 'half',
    },
    { ...PLACED, 'state.db': 'newer' },
  ],
  [
    'leaves what else is in the volume',
    { ...OLD, 'lost+found/file': 'lost' },
    { ...ASIDE, 'lost+found/file': 'lost' },
  ],
] as const)('%s', async ([, files, wanted]) => {
  await using pod = await podOf(files)

  await pod.run(PLACE_SQLITE_SCRIPT)

  const { 'restored-of': attempt, ...found } = await pod.files()
  expect(attempt).toBe(`${FORMER} abc`)
  expect(found).toEqual(wanted)
})

test('keeps the new file from others', async () => {
  await using pod = await podOf(OLD)

  await pod.run(PLACE_SQLITE_SCRIPT)

  expect((await stat(join(pod.volume, 'state.db'))).mode & 0o777).toBe(0o600)
})

test.for([
  ['the former file back', { ...ASIDE, 'state.db-shm': 'new', 'restored-of': 'x' }],
  ['back what an interruption left', { 'state.db-wal': 'its writes', 'aside/state.db': 'old' }],
  ['nothing back twice', OLD],
] as const)('puts %s', async ([, files]) => {
  await using pod = await podOf(files)

  await pod.run(PUT_BACK_SQLITE_SCRIPT)

  expect(await pod.files()).toEqual(OLD)
})

/** The volume of a pod with some files. */
async function podOf(files: Record<string, string>) {
  const folder = await temporaryFolder()
  const volume = join(folder.path, 'volume')
  const snapshot = join(folder.path, 'snapshot')
  await mkdir(volume)
  await writeFile(snapshot, 'new')
  for (const [name, text] of Object.entries(files)) {
    const path = join(volume, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  const env = {
    VPLANE_VOLUME: volume,
    VPLANE_SNAPSHOT: snapshot,
    VPLANE_ATTEMPT: `${FORMER} abc`,
    VPLANE_FORMER: FORMER,
  }
  return {
    volume,
    run: (script: string) => run(process.execPath, ['-e', script], { env }),
    files: async () => {
      const entries = await readdir(volume, { recursive: true, withFileTypes: true })
      const found = entries.filter((entry) => entry.isFile())
      const texts = found.map(async ({ name, parentPath }) => {
        const path = join(parentPath, name)
        return [path.slice(volume.length + 1), await readFile(path, 'utf8')]
      })
      return Object.fromEntries(await Promise.all(texts))
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}
