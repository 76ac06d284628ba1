import { expect, test } from 'vitest'
import { sourcesOf } from '../../../../../src/drivers/local/binaries/download/sources.ts'
import { ETCD, KUBERNETES } from '../context.ts'

const MAC = { os: 'darwin', arch: 'arm64' } as const

test('finds the binaries of Kubernetes for Linux on dl.k8s.io with their checksums', () => {
  const { downloads, unavailable } = sourcesOf(KUBERNETES, ['kubectl'], { environment: {} })

  const url = 'https://dl.k8s.io/release/v1.36.3/bin/linux/amd64/kubectl'
  expect(downloads).toEqual([{ url, checksum: { url: `${url}.sha256`, fileName: 'kubectl' } }])
  expect(unavailable).toEqual([])
})

test.for([
  ['linux', 'amd64', 'etcd-v3.6.16-linux-amd64', 'tar.gz'],
  ['darwin', 'arm64', 'etcd-v3.6.16-darwin-arm64', 'zip'],
] as const)('finds etcd for %s in one archive', ([os, arch, stem, format]) => {
  const release = { ...ETCD, platform: { os, arch } }
  const { downloads } = sourcesOf(release, ['etcd', 'etcdutl'], { environment: {} })

  const folder = 'https://github.com/etcd-io/etcd/releases/download/v3.6.16'
  expect(downloads).toEqual([
    {
      url: `${folder}/${stem}.${format}`,
      checksum: { url: `${folder}/SHA256SUMS`, fileName: `${stem}.${format}` },
      archive: { format, paths: [`${stem}/etcd`, `${stem}/etcdutl`] },
    },
  ])
})

test('trusts no unofficial servers on its own: on macOS they are built, as docs/spec.md says', () => {
  const release = { ...KUBERNETES, platform: MAC }
  const names = ['kube-apiserver', 'kube-controller-manager'] as const

  const sources = sourcesOf(release, names, { environment: {} })

  expect(sources).toEqual({ downloads: [], unavailable: names })
})

test('uses unofficial servers for macOS only with a known checksum', () => {
  const trusted = { '1.36.3': { 'darwin-arm64': { 'kube-apiserver': 'a'.repeat(64) } } }
  const { downloads, unavailable } = sourcesOf(
    { ...KUBERNETES, platform: MAC },
    ['kube-apiserver', 'kube-controller-manager', 'kubectl'],
    { environment: {}, trusted },
  )

  expect(unavailable).toEqual(['kube-controller-manager'])
  expect(downloads).toEqual([
    {
      url: 'https://github.com/kwok-ci/k8s/releases/download/v1.36.3-kwok.0-darwin-arm64/kube-apiserver',
      checksum: { sha256: 'a'.repeat(64) },
      unofficialFrom: 'github.com/kwok-ci/k8s',
    },
    expect.objectContaining({ url: 'https://dl.k8s.io/release/v1.36.3/bin/darwin/arm64/kubectl' }),
  ])
})

test.for(['', '//'])('uses a mirror whose URL ends with "%s" for all downloads', (end) => {
  const options = { environment: { VPLANE_MIRROR: `https://mirror.example.com/k8s${end}` } }
  const urls = [
    ...sourcesOf(KUBERNETES, ['kubectl'], options).downloads,
    ...sourcesOf(ETCD, ['etcd'], options).downloads,
  ].map(({ url }) => url)

  expect(urls).toEqual([
    'https://mirror.example.com/k8s/dl.k8s.io/release/v1.36.3/bin/linux/amd64/kubectl',
    'https://mirror.example.com/k8s/github.com/etcd-io/etcd/releases/download/v3.6.16/etcd-v3.6.16-linux-amd64.tar.gz',
  ])
})

test.for(['mirror.example.com', 'file:///mirror', 'ftp://mirror'])('refuses "%s"', (mirror) => {
  const message = expect.stringContaining(mirror)

  expect(() => sourcesOf(ETCD, ['etcd'], { environment: { VPLANE_MIRROR: mirror } })).toThrow(
    expect.objectContaining({ code: 'USAGE', message }),
  )
})

test('ignores an empty VPLANE_MIRROR', () => {
  const { downloads } = sourcesOf(ETCD, ['etcd'], { environment: { VPLANE_MIRROR: '' } })

  expect(downloads[0]?.url).toMatch(/^https:\/\/github\.com\//)
})
