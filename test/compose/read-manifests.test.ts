import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readCrds, readManifests } from '../../src/compose/read-manifests.ts'
import { crd } from '../support/api/crd.ts'
import { RecordingUi } from '../support/driver/recording-ui.ts'
import { temporaryFolder } from '../support/machine/temporary-folder.ts'

const A = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n'
const B = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n'
const JSON_C = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}'

test('reads every document of a file, in order', async () => {
  const folder = await folderWith({ 'all.yaml': `---\n${B}---\n# nothing\n---\n${A}` })

  expect(await namesIn([join(folder, 'all.yaml')])).toEqual(['b', 'a'])
})

test('reads paths in their order and folders by name, with all folders below', async () => {
  const folder = await folderWith({
    'dir/b.yml': B,
    'dir/a/deep/c.json': JSON_C,
    'dir/z.yaml': A,
    'dir/notes.md': 'no manifest',
    'first.txt': A,
  })

  const names = await namesIn([join(folder, 'first.txt'), join(folder, 'dir')])

  expect(names).toEqual(['a', 'c', 'b', 'a'])
})

test('takes lists apart, lists in lists too', async () => {
  const list = (...items: unknown[]) => ({ apiVersion: 'v1', kind: 'List', items })
  const inner = list(JSON.parse(JSON_C))
  const folder = await folderWith({ 'list.json': JSON.stringify(list(crd('foos'), inner)) })

  expect(await namesIn([join(folder, 'list.json')])).toEqual(['foos.example.com', 'c'])
})

test('keeps every field as it is written', async () => {
  const object = crd('foos', { unknown: [{ deep: '0644' }, null, 1.5] })
  const folder = await folderWith({ 'crd.json': JSON.stringify(object) })

  expect(await readManifests([folder])).toEqual([object])
})

test('leaves hidden folders, node_modules and files of other kinds alone', async () => {
  const folder = await folderWith({
    'a.yaml': A,
    '.github/b.yaml': B,
    'node_modules/x/b.yaml': B,
    'b.yaml.bak': B,
  })

  expect(await namesIn([folder])).toEqual(['a'])
})

test('follows links to files, as a mounted ConfigMap has them, and none to folders', async () => {
  const folder = await folderWith({ '..data/a.yaml': A })
  await symlink('..data/a.yaml', join(folder, 'a.yaml'))
  await symlink('.', join(folder, 'loop'))

  expect(await namesIn([folder])).toEqual(['a'])
})

test('leaves out what is no object in a folder, and notes where', async () => {
  const ui = new RecordingUi()
  const folder = await folderWith({
    'a.yaml': A,
    'kustomization.yaml': 'resources: [a.yaml]\n',
    'text.yaml': 'hello\n',
    'chart.yaml': 'apiVersion: v2\nname: x\n',
    'values.yaml': `a: 1\n---\n${B}`,
  })

  const objects = await readManifests([folder], ui)

  expect(objects.map(({ metadata }) => metadata.name)).toEqual(['a', 'b'])
  expect(ui.notes).toEqual([
    `skipped documents that are not Kubernetes objects in ${join(folder, 'chart.yaml')}, ` +
      `${join(folder, 'kustomization.yaml')}, ${join(folder, 'text.yaml')} and 1 more files`,
  ])
})

test.for([
  ['resources: []', /"[^"]*x\.yaml" is not a Kubernetes object: it has no apiVersion$/],
  ['apiVersion: v1', /it has no kind$/],
  ['apiVersion: v1\nkind: Pod', /it has no metadata$/],
  ['- 1', /it is not a map$/],
  [`${A}---\nhello`, /"[^"]*x\.yaml", document 2 is not a Kubernetes object: it is not a map$/],
  ['{apiVersion: v1, kind: List, items: [1]}', /x\.yaml", item 1 is not a Kubernetes object/],
  [`${A}---\na: [`, /cannot read "[^"]*x\.yaml", document 2: .* at line \d+, column \d+$/],
] as const)('refuses a named file of %j', async ([text, message]) => {
  const folder = await folderWith({ 'x.yaml': text })

  await expect(readManifests([join(folder, 'x.yaml')])).rejects.toMatchObject({
    code: 'INVALID_SPEC',
    message: expect.stringMatching(message),
  })
})

test.for<[string, Record<string, string>, string]>([
  ['broken YAML in a folder too', { 'a.yaml': A, 'x.yaml': '{{ if }}\na: 1' }, 'INVALID_SPEC'],
  ['a folder without manifests', { 'README.md': '' }, 'USAGE'],
])('refuses %s', async ([, files, code]) => {
  await expect(readManifests([await folderWith(files)])).rejects.toMatchObject({ code })
})

test('refuses a path that does not exist', async () => {
  const folder = await folderWith({ 'a.yaml': A })

  for (const path of [join(folder, 'nowhere'), join(folder, 'a.yaml', 'below')]) {
    await expect(readManifests([path])).rejects.toMatchObject({
      code: 'USAGE',
      message: `no file or folder "${path}"`,
    })
  }
})

test('reads the custom resource definitions of a release, and reports what it skips', async () => {
  const ui = new RecordingUi()
  const folder = await folderWith({ 'release.yaml': `${A}---\n${JSON.stringify(crd('foos'))}` })

  expect(await readCrds([folder], ui)).toEqual([crd('foos')])
  expect(ui.notes).toEqual(['installs custom resource definitions only, and skips ConfigMap'])
})

test.for([{ 'a.yaml': A }, { 'a.yaml': 'a: 1' }])('needs definitions, not %j', async (files) => {
  const folder = await folderWith(files)

  await expect(readCrds([folder], new RecordingUi())).rejects.toMatchObject({ code: 'USAGE' })
})

test('reads nothing from no paths', async () => {
  expect(await readCrds([], new RecordingUi())).toEqual([])
})

async function namesIn(paths: string[]): Promise<Array<string | undefined>> {
  return (await readManifests(paths)).map(({ metadata }) => metadata.name)
}

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, name)), { recursive: true })
    await writeFile(join(folder.path, name), text)
  }
  return folder.path
}
