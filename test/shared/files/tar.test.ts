import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, expect, test } from 'vitest'
import { tarGz, untarGz } from '../../../src/shared/files/tar.ts'
import { tar } from '../../lab/images/tar.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'

const ARCHIVE = Buffer.concat(tar([{ path: 'etcd', type: 'file', data: randomBytes(100_000) }]))

let folder: string
let path: string

beforeEach(async () => {
  const temporary = await temporaryFolder()
  folder = temporary.path
  path = join(folder, 'a.tar.gz')
  return temporary[Symbol.asyncDispose]
})

test('tar extracts the same files, for their owner alone', async () => {
  const long = `logs/${'deep/'.repeat(40)}etcd.log`
  const files = [
    { path: 'plane.yaml', text: 'name: dév\n' },
    { path: long, text: '' },
  ]
  writeFileSync(path, await tarGz('vplane-dev', files, new Date(0)))

  execFileSync('tar', ['-xzf', path], { cwd: folder })

  expect(readFileSync(join(folder, 'vplane-dev/plane.yaml'), 'utf8')).toBe('name: dév\n')
  expect(statSync(join(folder, 'vplane-dev', long)).mode & 0o777).toBe(0o600)
})

test('extracts the named files from an archive, and no others', async () => {
  const etcd = randomBytes(200_001)
  const pieces = tar([
    { path: 'v3', type: 'folder' },
    { path: 'v3/README.md', type: 'file', data: Buffer.from('read me') },
    { path: 'v3/etcd', type: 'file', data: etcd },
    { path: '../../evil', type: 'file', data: Buffer.from('evil') },
    { path: 'v3/block', type: 'file', data: randomBytes(1024) },
    { path: 'v3/link', type: 'link', target: 'etcd' },
    { path: 'v3/etcdutl', type: 'file', data: Buffer.from('utl') },
  ])
  writeFileSync(path, gzipSync(Buffer.concat(pieces)))

  const found = await untarGz(path, ['v3/etcdutl', 'v3/etcd', 'v3/link', 'v3/absent'])

  expect(Object.fromEntries(found)).toEqual({ 'v3/etcd': etcd, 'v3/etcdutl': Buffer.from('utl') })
})

test.for([
  ['is cut off', gzipSync(ARCHIVE).subarray(0, 50_000)],
  ['is compressed and was cut off before', gzipSync(ARCHIVE.subarray(0, 50_000))],
  ['is no archive', Buffer.from('<html>please log in</html>')],
] as const)('fails on something that %s', async ([, bytes]) => {
  writeFileSync(path, bytes)

  await expect(untarGz(path, ['etcd'])).rejects.toThrow()
})
