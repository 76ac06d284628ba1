import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tarGz } from '../../../src/shared/files/tar.ts'

test('tar takes it apart into the same files, for their owner alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vplane-tar-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const long = `logs/${'deep/'.repeat(40)}etcd.log`
  const files = [
    { path: 'plane.yaml', text: 'name: dév\n' },
    { path: long, text: '' },
  ]
  writeFileSync(join(folder, 'a.tar.gz'), await tarGz('vplane-dev', files, new Date(0)))

  execFileSync('tar', ['-xzf', 'a.tar.gz'], { cwd: folder })

  expect(readFileSync(join(folder, 'vplane-dev/plane.yaml'), 'utf8')).toBe('name: dév\n')
  expect(statSync(join(folder, 'vplane-dev', long)).mode & 0o777).toBe(0o600)
})
