import type { ImageConfig } from '../../lab/images/docker-archive.ts'

/** What upstream's images of tests run, by their names without registry and tag: their Dockerfiles in test/images. */
const IMAGES: Readonly<Record<string, Omit<ImageConfig, 'name'>>> = {
  'e2e-test-images/agnhost': { entrypoint: ['/agnhost'], command: ['pause'] },
  'e2e-test-images/busybox': { command: ['sh'] },
  'e2e-test-images/glibc-dns-testing': { command: ['sh'] },
  // Kubernetes 1.34 has it where later versions have nginx, and the next one where they have glibc-dns-testing.
  'e2e-test-images/httpd': { command: ['nginx', '-g', 'daemon off;'] },
  'e2e-test-images/jessie-dnsutils': { command: ['sh'] },
  'e2e-test-images/nautilus': { entrypoint: ['/agnhost'], command: ['test-webserver'] },
  'e2e-test-images/nginx': { command: ['nginx', '-g', 'daemon off;'] },
  'e2e-test-images/nonewprivs': { command: ['nonewprivs'] },
  'e2e-test-images/nonroot': { entrypoint: ['/agnhost'], command: ['pause'], user: '1234' },
  'e2e-test-images/sample-apiserver': { entrypoint: ['/sample-apiserver'] },
  etcd: {},
  pause: { entrypoint: ['/agnhost', 'pause'], user: '65535:65535' },
}

/**
 * Those images that conformance tests run, of all that `e2e.test --list-images` names. All are one file system with
 * another command, so nodes have it once.
 */
export function e2eImages(listed: string): ImageConfig[] {
  // It lists them in another order each time.
  const names = listed.split('\n').toSorted()
  return names.flatMap((name) => {
    const [, image = ''] = /^registry\.k8s\.io\/(.+):/.exec(name) ?? []
    const config = IMAGES[image]
    return config === undefined ? [] : [{ name, ...config }]
  })
}
