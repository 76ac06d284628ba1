import { createHash } from 'node:crypto'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../machine/run-command.ts'
import { dockerArchive, type ImageConfig, type ImageContent } from './docker-archive.ts'

const IMAGE: ImageConfig = {
  name: 'registry.example.com/some/image:1',
  entrypoint: ['/program'],
  user: '65532:65532',
  env: { MODE: 'test' },
}
const CONTENT: ImageContent = {
  architecture: 'amd64',
  entries: [{ path: 'program', type: 'file', data: Buffer.from('program') }],
  images: [IMAGE],
}

test('has a manifest that leads to a configuration and to the layer it speaks of', async () => {
  await using archive = await unpacked(CONTENT)
  const [
    {
      Config: config,
      Layers: [layer],
      RepoTags: names,
    },
  ] = await archive.json('manifest.json')

  const digest = createHash('sha256')
    .update(await archive.bytes(layer))
    .digest('hex')
  const { config: runtime, ...rest } = await archive.json(config)

  expect(names).toEqual(['registry.example.com/some/image:1'])
  expect(rest).toMatchObject({
    architecture: 'amd64',
    os: 'linux',
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
  })
  expect(runtime).toEqual({
    Entrypoint: ['/program'],
    Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'MODE=test'],
    User: '65532:65532',
    WorkingDir: '/',
  })
})

test('runs nothing, as root, unless it is said', async () => {
  await using archive = await unpacked({ ...CONTENT, images: [{ name: IMAGE.name }] })
  const [{ Config: config }] = await archive.json('manifest.json')

  const { config: runtime } = await archive.json(config)

  expect(Object.keys(runtime)).toEqual(['Env', 'WorkingDir'])
})

test('is the same for the same content, and another one for another', () => {
  const digest = (content: ImageContent) =>
    createHash('sha256')
      .update(Buffer.concat(dockerArchive(content)))
      .digest('hex')

  expect(digest(CONTENT)).toBe(digest({ ...CONTENT }))
  expect(digest(CONTENT)).toBe('197cdfbebe703e1dc0ee2b79a84eb5c1372eb6be7c0f755c5831177a18df97f7')
  const other = { ...IMAGE, name: 'registry.example.com/some/image:2' }
  expect(digest({ ...CONTENT, images: [other] })).not.toBe(digest(CONTENT))
})

test('has images that share their layer, each with its own command', async () => {
  const command = { name: 'registry.example.com/other:1', command: ['sh'] }
  await using archive = await unpacked({ ...CONTENT, images: [IMAGE, command] })
  const [first, second] = await archive.json('manifest.json')

  expect(second).toMatchObject({ RepoTags: [command.name], Layers: first.Layers })
  expect((await archive.json(second.Config)).config).toMatchObject({ Cmd: ['sh'] })
})

async function unpacked(content: ImageContent) {
  const folder = await mkdtempDisposable(join(tmpdir(), 'lab-archive-'))
  await writeFile(join(folder.path, 'image.tar'), dockerArchive(content))
  await runCommand('tar', [
    '--extract',
    '--directory',
    folder.path,
    '--file',
    `${folder.path}/image.tar`,
  ])
  const bytes = (name: string) => readFile(join(folder.path, name))
  return {
    bytes,
    // oxlint-disable-next-line typescript/no-explicit-any -- the test says what it expects of it
    json: async (name: string) => JSON.parse((await bytes(name)).toString()),
    [Symbol.asyncDispose]: () => folder.remove(),
  }
}
