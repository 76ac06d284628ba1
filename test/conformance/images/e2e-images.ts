import type { ImageConfig } from '../../lab/images/docker-archive.ts'
import type { ImageRecipe } from '../../lab/images/lab-images.ts'

/** What upstream's images of tests run, by their names without registry and tag: their Dockerfiles in test/images. */
const IMAGES: Readonly<Record<string, Omit<ImageConfig, 'name'>>> = {
  'e2e-test-images/agnhost': { entrypoint: ['/agnhost'], command: ['pause'] },
  'e2e-test-images/glibc-dns-testing': { command: ['sh'] },
  'e2e-test-images/nautilus': { entrypoint: ['/agnhost'], command: ['test-webserver'] },
  'e2e-test-images/nginx': { command: ['nginx', '-g', 'daemon off;'] },
  'e2e-test-images/nonewprivs': { command: ['nonewprivs'] },
  'e2e-test-images/nonroot': { entrypoint: ['/agnhost'], command: ['pause'], user: '1234' },
  'e2e-test-images/sample-apiserver': { entrypoint: ['/sample-apiserver'] },
  etcd: {},
  pause: { entrypoint: ['/agnhost', 'pause'], user: '65535:65535' },
}

/**
 * Those images that conformance tests run, of all that `e2e.test --list-images` names. All but busybox are one file system
 * with another command, so nodes have it once.
 */
export function e2eImages(listed: string): ImageConfig[] {
  return listed.split('\n').flatMap((name) => {
    const [, image = ''] = /^registry\.k8s\.io\/(.+):/.exec(name) ?? []
    const config = IMAGES[image]
    return config === undefined ? [] : [{ name, ...config }]
  })
}

/** The images of busybox, which has every command that it knows, and whose shell tests expect. */
export function busyboxImages(
  listed: string,
  { commands, program }: { program: string; commands: readonly string[] },
): ImageRecipe[] {
  const names = commands.filter((name) => name !== 'busybox')
  const links = Object.fromEntries(names.map((name) => [`bin/${name}`, 'busybox']))
  return listed
    .split('\n')
    .filter((name) => /\/busybox:/.test(name))
    .map((name) => ({ name, programs: { 'bin/busybox': program }, links }))
}
