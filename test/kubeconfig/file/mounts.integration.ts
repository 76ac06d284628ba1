import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findVplaneContexts } from '../../../src/kubeconfig/contexts/read-contexts.ts'
import { shellWord } from '../../../src/shared/text/shell-word.ts'
import { EXIT_CODES } from '../../../src/shared/errors.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** A program of Linux, not of a package. */
const UNSHARE = 'unshare'
const SCRIPT = new URL('edit-process.ts', import.meta.url).pathname
const KIND = 'contexts:\n- name: kind\ncurrent-context: kind\n'

// In its own mount namespace a process can mount what no other process sees; not every machine allows that.
const canMount =
  process.platform === 'linux' &&
  spawnSync(UNSHARE, ['--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'])
    .status === 0

test.skipIf(!canMount)('says that a folder is on a read-only file system', async () => {
  const { file, folder } = await kubeconfig()

  const failure = connectAfter(
    `mount --bind ${folder} ${folder} && mount -o remount,bind,ro ${folder}`,
    file,
  )

  expect(failure).toEqual({
    code: 'FAILED',
    message: `cannot lock "${file}": the file system is read-only`,
  })
  expect(await readFile(file, 'utf8')).toBe(KIND)
})

test.skipIf(!canMount)('says that the disk is full and keeps the old text', async () => {
  const { file, folder } = await kubeconfig()
  await mkdir(join(folder, 'disk'))
  const full = join(folder, 'disk', 'config')

  const failure = connectAfter(
    `mount -t tmpfs -o size=16k none ${folder}/disk && cp ${file} ${full}` +
      ` && { head -c 16384 /dev/zero >${folder}/disk/filler 2>/dev/null || true; }`,
    full,
    `cp ${full} ${folder}/kept; ls ${folder}/disk >${folder}/left`,
  )

  expect(failure).toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('no space left'),
  })
  expect(await readFile(join(folder, 'kept'), 'utf8')).toBe(KIND)
  expect(await readFile(join(folder, 'left'), 'utf8')).toBe('config\nfiller\n')
})

test.skipIf(!canMount)('writes a file that is mounted into a container', async () => {
  const { file, folder } = await kubeconfig()
  await mkdir(join(folder, 'container'))
  await writeFile(join(folder, 'container', 'config'), '')
  const before = await stat(file)

  const failure = connectAfter(
    `mount --bind ${file} ${folder}/container/config`,
    join(folder, 'container', 'config'),
  )

  expect(failure).toBeUndefined()
  expect((await stat(file)).ino).toBe(before.ino)
  expect(findVplaneContexts(await readFile(file, 'utf8'))).toHaveLength(1)
  expect(await readdir(join(folder, 'container'))).toEqual(['config'])
})

async function kubeconfig(): Promise<{ folder: string; file: string }> {
  const folder = await temporaryFolder()
  const file = join(folder, 'config')
  await writeFile(file, KIND)
  return { folder, file }
}

/** What connecting says in a process that has mounted something before. */
function connectAfter(mount: string, file: string, after = 'true'): unknown {
  const connect = [process.execPath, SCRIPT, file, 'dev'].map((word) => shellWord(word)).join(' ')
  const script = `${mount} || exit 99; ${connect}; status=$?; ${after}; exit $status`
  const args = ['--map-root-user', '--mount', 'sh', '-c', script]
  const { status, stderr, stdout } = spawnSync(UNSHARE, args, { encoding: 'utf8' })
  expect([0, EXIT_CODES.FAILED], stderr).toContain(status)
  return stdout === '' ? undefined : JSON.parse(stdout)
}
