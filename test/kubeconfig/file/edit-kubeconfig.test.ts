import { execFile } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, readdir, readFile } from 'node:fs/promises'
import { readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { editKubeconfigFile, writeInPlace } from '../../../src/kubeconfig/file/edit-kubeconfig.ts'
import { fileToEdit, kubeconfigLocation } from '../../../src/kubeconfig/file/kubeconfig-location.ts'
import { findVplaneContexts } from '../../../src/kubeconfig/contexts/read-contexts.ts'
import { removeContext } from '../../../src/kubeconfig/contexts/remove-context.ts'
import { setContext } from '../../../src/kubeconfig/contexts/set-context.ts'
import { execEntry } from '../entries.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const run = promisify(execFile)
const FILE = '# mine\ncontexts:\n- name: kind\ncurrent-context: kind\nx-unknown: 0777\n'
const append = (text: string) => `${text}# more\n`
const connect = (text: string) => setContext(text, execEntry('dev'))
const disconnect = (text: string) => removeContext(text, 'vplane_dev')

test('creates a missing file for its owner alone, in a folder for its owner alone', async () => {
  const home = await temporaryFolder()
  const location = kubeconfigLocation({ environment: {}, home })

  const file = await fileToEdit(location)
  await editKubeconfigFile(file, connect)

  expect(file).toBe(join(home, '.kube', 'config'))
  expect(await modeOf(file)).toBe(0o600)
  expect(await modeOf(join(home, '.kube'))).toBe(0o700)
  expect(findVplaneContexts(await readFile(file, 'utf8'))).toHaveLength(1)
})

test('edits an empty file', async () => {
  const file = await fileWith('')

  await editKubeconfigFile(file, connect)
  await editKubeconfigFile(file, disconnect)

  expect(await readFile(file, 'utf8')).toBe('')
})

test('replaces the file in one step, and leaves its bytes, mode and name in the end', async () => {
  const file = await fileWith(`\uFEFF${FILE}`)
  await chmod(file, 0o640)
  const before = await readFile(file)
  const { ino } = await stat(file)

  await editKubeconfigFile(file, connect)
  const between = await stat(file)
  await editKubeconfigFile(file, disconnect)

  expect(between.ino).not.toBe(ino)
  expect(between.mode & 0o777).toBe(0o640)
  expect(await readFile(file)).toEqual(before)
  expect(await readdir(join(file, '..'))).toEqual(['config'])
})

test.skipIf(process.getuid?.() !== 0)('keeps the owner (only root can check it)', async () => {
  const file = await fileWith(FILE)
  await chown(file, 12_345, 23_456)

  await editKubeconfigFile(file, append)

  expect(await stat(file)).toMatchObject({ uid: 12_345, gid: 23_456 })
})

test('does not write a text that stays the same, which may so be read-only', async () => {
  const file = await fileWith(FILE)
  await chmod(file, 0o444)
  const { ino, mtimeMs } = await stat(file)

  await expect(editKubeconfigFile(file, (text) => text)).resolves.toBeUndefined()

  expect(await stat(file)).toMatchObject({ ino, mtimeMs })
})

test('edits the file behind symbolic links, and keeps them', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'dotfiles'))
  await writeFile(join(folder, 'dotfiles', 'config'), FILE)
  await symlink(join('dotfiles', 'config'), join(folder, 'first'))
  await symlink('first', join(folder, 'second'))

  await editKubeconfigFile(join(folder, 'second'), append)

  expect(await readlink(join(folder, 'second'))).toBe('first')
  expect(await readlink(join(folder, 'first'))).toBe(join('dotfiles', 'config'))
  expect(await readFile(join(folder, 'dotfiles', 'config'), 'utf8')).toBe(append(FILE))
  expect(await readdir(folder)).toEqual(['dotfiles', 'first', 'second'])
})

test('creates the file that a symbolic link leads to', async () => {
  const folder = await temporaryFolder()
  await symlink('target', join(folder, 'link'))

  await editKubeconfigFile(join(folder, 'link'), append)

  expect((await lstat(join(folder, 'link'))).isSymbolicLink()).toBe(true)
  expect(await readFile(join(folder, 'target'), 'utf8')).toBe('# more\n')
  expect(await modeOf(join(folder, 'target'))).toBe(0o600)
})

test('does not create the missing folder of a symbolic link', async () => {
  const folder = await temporaryFolder()
  await symlink(join('unmounted', 'config'), join(folder, 'link'))

  await expect(editKubeconfigFile(join(folder, 'link'), append)).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('a folder of its path does not exist'),
  })
  expect(await readdir(folder)).toEqual(['link'])
})

test.for(['link', 'target'])('waits for who locked the %s of a symbolic link', async (locked) => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'target'), FILE)
  await symlink('target', join(folder, 'link'))
  await writeFile(join(folder, `${locked}.lock`), '')

  const edit = editKubeconfigFile(join(folder, 'link'), append, { lockTimeoutMs: 50 })

  await expect(edit).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await readFile(join(folder, 'target'), 'utf8')).toBe(FILE)
  expect(await readdir(folder)).toEqual(['link', 'target', `${locked}.lock`].toSorted())
})

test.for([
  ['invalid YAML', 'kind: Config\nusers: [\n', 'invalid YAML at line 3, column 1'],
  ['no mapping', '- a\n', 'it is not a kubeconfig'],
  ['a foreign context', 'contexts: [{name: vplane_dev}]\n', 'it has a context "vplane_dev"'],
] as const)('leaves a file with %s untouched and says which it is', async ([, text, message]) => {
  const file = await fileWith(text)
  const before = await stat(file)

  await expect(editKubeconfigFile(file, connect)).rejects.toMatchObject({
    message: expect.stringContaining(`kubeconfig "${file}": ${message}`),
  })
  expect(await stat(file)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs })
  expect(await readdir(join(file, '..'))).toEqual(['config'])
})

test('keeps the bytes of a file that is not UTF-8', async () => {
  const bytes = Buffer.from([0xff, 0xfe, 0x61, 0x00])
  const file = await fileWith(bytes)

  await expect(editKubeconfigFile(file, append)).rejects.toMatchObject({
    code: 'INVALID_SPEC',
    message: expect.stringContaining('it is not UTF-8'),
  })
  expect(await readFile(file)).toEqual(bytes)
})

test('does not replace a read-only file', async () => {
  const file = await fileWith(FILE)
  await chmod(file, 0o444)

  await expect(editKubeconfigFile(file, append)).rejects.toMatchObject({
    code: 'FAILED',
    message: `cannot change "${file}": it is read-only`,
    hints: [`chmod u+w ${file}`, expect.stringContaining('KUBECONFIG='), expect.any(Object)],
  })
  expect(await readFile(file, 'utf8')).toBe(FILE)
  expect(await readdir(join(file, '..'))).toEqual(['config'])
})

test.for([
  ['a folder', 'folder', 'it is a folder'],
  ['a path through a file', join('file', 'config'), 'its path leads through a file'],
  ['a circle of links', 'circle', 'its symbolic links lead in a circle'],
] as const)('refuses %s', async ([, path, message]) => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'folder'))
  await writeFile(join(folder, 'file'), FILE)
  await symlink('circle', join(folder, 'circle'))

  await expect(editKubeconfigFile(join(folder, path), append)).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining(message),
    hints: expect.arrayContaining([expect.stringContaining('KUBECONFIG=')]),
  })
  expect(await readdir(folder)).toEqual(['circle', 'file', 'folder'])
})

test('edits again when a program without a lock changes the file in the meantime', async () => {
  const file = await fileWith(FILE)
  let calls = 0

  await editKubeconfigFile(file, (text) => {
    calls += 1
    if (calls === 1) {
      appendFileSync(file, '# theirs\n')
    }
    return append(text)
  })

  expect(calls).toBe(2)
  expect(await readFile(file, 'utf8')).toBe(`${FILE}# theirs\n# more\n`)
})

test('gives up on a file that never stays the same', async () => {
  const file = await fileWith(FILE)
  let calls = 0

  const edit = editKubeconfigFile(file, (text) => {
    calls += 1
    appendFileSync(file, '# theirs\n')
    return append(text)
  })

  await expect(edit).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await readFile(file, 'utf8')).toBe(FILE + '# theirs\n'.repeat(calls))
})

test('changes nothing once it is interrupted', async () => {
  const file = await fileWith(FILE)

  const edit = editKubeconfigFile(file, append, { signal: AbortSignal.abort() })

  await expect(edit).rejects.toMatchObject({ code: 'ABORTED' })
  expect(await readFile(file, 'utf8')).toBe(FILE)
  expect(await readdir(join(file, '..'))).toEqual(['config'])
})

test('loses nothing when several processes edit at once', { timeout: 60_000 }, async () => {
  const file = await fileWith(FILE)
  const planes = Array.from({ length: 20 }, (_, index) => `p${index}`)
  const script = new URL('edit-process.ts', import.meta.url).pathname

  const edit = (start: number) =>
    run(process.execPath, [script, file, ...planes.slice(start, start + 5)])
  await Promise.all([0, 5, 10, 15].map(edit))

  const text = await readFile(file, 'utf8')
  const names = findVplaneContexts(text).map(({ name }) => name)
  expect(new Set(names)).toEqual(new Set(planes.map((plane) => `vplane_${plane}`)))
  expect(planes.reduce((rest, plane) => removeContext(rest, `vplane_${plane}`), text)).toBe(FILE)
  expect(await readdir(join(file, '..'))).toEqual(['config'])
})

test.for([
  ['longer', 'a much longer text\n'],
  ['shorter', 'x'],
  ['empty', ''],
] as const)('writes a %s text into the same file', async ([, text]) => {
  const file = await fileWith('before\n')
  const before = await stat(file)

  await writeInPlace(file, text)

  expect(await readFile(file, 'utf8')).toBe(text)
  expect((await stat(file)).ino).toBe(before.ino)
})

test('creates no file', async () => {
  const file = join(await temporaryFolder(), 'config')

  await expect(writeInPlace(file, 'text')).rejects.toMatchObject({ code: 'ENOENT' })
})

async function fileWith(content: string | Buffer): Promise<string> {
  const file = join(await temporaryFolder(), 'config')
  await writeFile(file, content, { mode: 0o600 })
  return file
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}
