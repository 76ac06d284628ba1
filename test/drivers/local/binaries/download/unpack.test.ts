import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { untar } from '../../../../../src/drivers/local/binaries/download/untar.ts'
import { unzip } from '../../../../../src/drivers/local/binaries/download/unzip.ts'
import { tarGz, zip } from '../archives.ts'

const FORMATS = [
  ['tar.gz', untar, (entries: Parameters<typeof zip>[0]) => tarGz(entries, ['v3/'])],
  ['zip', unzip, (entries: Parameters<typeof zip>[0]) => zip(entries, 'a comment')],
] as const

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vplane-unpack-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

test.for(FORMATS)(
  'takes the named entries out of a %s archive, and no others',
  async ([, unpack, pack]) => {
    const etcd = randomBytes(200_001)
    const archive = await write(
      pack([
        { name: 'v3/README.md', body: Buffer.from('read me') },
        { name: 'v3/etcd', body: etcd },
        { name: '../../evil', body: Buffer.from('evil') },
        { name: 'v3/block', body: randomBytes(1024) },
        { name: 'v3/etcdutl', body: Buffer.from('utl') },
      ]),
    )

    const found = await unpack(
      archive,
      new Map([
        ['v3/etcdutl', join(folder, 'b')],
        ['v3/etcd', join(folder, 'a')],
        ['v3/absent', join(folder, 'c')],
      ]),
    )

    expect(found).toEqual(['v3/etcd', 'v3/etcdutl'])
    expect(await readFile(join(folder, 'a'))).toEqual(etcd)
    expect(await readFile(join(folder, 'b'), 'utf8')).toBe('utl')
    expect((await readdir(folder)).sort()).toEqual(['a', 'archive', 'b'])
  },
)

test('takes entries of a zip archive that are not compressed', async () => {
  const archive = await write(zip([{ name: 'etcd.stored', body: Buffer.from('as it is') }]))

  await unzip(archive, new Map([['etcd.stored', join(folder, 'a')]]))

  expect(await readFile(join(folder, 'a'), 'utf8')).toBe('as it is')
})

test.for(FORMATS)('fails on a %s archive that is cut off', async ([, unpack, pack]) => {
  const whole = pack([{ name: 'etcd', body: randomBytes(100_000) }])
  const archive = await write(whole.subarray(0, 50_000))

  await expect(unpack(archive, new Map([['etcd', join(folder, 'a')]]))).rejects.toThrow()
})

test.for(FORMATS)('fails on something that is not a %s archive', async ([, unpack]) => {
  const archive = await write(Buffer.from('<html>please log in</html>'))

  await expect(unpack(archive, new Map())).rejects.toThrow()
})

async function write(data: Buffer): Promise<string> {
  const path = join(folder, 'archive')
  await writeFile(path, data)
  return path
}
