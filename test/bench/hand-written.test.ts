import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { writeHandWrittenPki } from '../../bench/host/host-hand-written-pki.ts'
import { resolveSpec } from '../../src/control-plane/spec/resolve-spec.ts'
import { packageRoot } from '../../src/shared/package-root.ts'

const FOLDER = join(packageRoot(), 'bench/hand-written')

test('the manifests by hand name the versions that vplane creates planes of', () => {
  const { etcdVersion, version } = resolveSpec({})

  const text = readdirSync(FOLDER).map((name) => readFileSync(join(FOLDER, name), 'utf8'))
  const images = text.join('\n').matchAll(/image: (.*)/g)

  expect(new Set([...images].map(([, image]) => image))).toEqual(
    new Set([
      `registry.k8s.io/etcd:${etcdVersion}-0`,
      `registry.k8s.io/kube-apiserver:v${version}`,
      `registry.k8s.io/kube-controller-manager:v${version}`,
    ]),
  )
})

test('every certificate and key that the manifests by hand name is made', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'hand-written-'))

  await writeHandWrittenPki(folder.path, [])

  const kustomization = readFileSync(join(FOLDER, 'kustomization.yaml'), 'utf8')
  const files = [...kustomization.matchAll(/pki\/\S+/g)].map(([file]) => file)
  const missing = files.filter((file) => !existsSync(join(folder.path, file)))
  expect(files).toContain('pki/etcd/server.key')
  expect(missing).toEqual([])
})

test('a node of the host is in the certificate of kube-apiserver', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'hand-written-'))

  const { certificateAuthority } = await writeHandWrittenPki(folder.path, ['192.0.2.7'])

  const text = readFileSync(join(folder.path, 'pki/apiserver.crt'), 'utf8')
  const certificate = new X509Certificate(text)
  expect(certificate.checkIP('192.0.2.7')).toBe('192.0.2.7')
  expect(certificate.verify(new X509Certificate(certificateAuthority).publicKey)).toBe(true)
})
