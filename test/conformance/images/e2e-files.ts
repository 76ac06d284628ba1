import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { TarEntry } from '../../lab/images/tar.ts'
import type { LabContext } from '../../lab/lab-context.ts'
import { ensureDebianFolder } from '../../lab/machine/debian-folder.ts'
import { goModuleFolder } from '../../support/programs/go-module.ts'
import type { E2ePrograms } from '../e2e-programs.ts'

/** What tests run in containers besides programs of their own. */
const PACKAGES =
  'bash bind9-dnsutils bind9-host bsdextrautils coreutils curl findutils grep gzip hostname iperf iproute2 iputils-ping libc-bin mawk mount netcat-openbsd nginx-light procps sed tar util-linux wget'.split(
    ' ',
  )

/** Parts of packages that no program reads. */
const UNUSED = /^usr\/share\/(?:bash-completion|doc|info|lintian|locale|man|perl)\//

/**
 * Links that Debian's packages leave to their scripts. The shell is bash: busybox' runs a `nc` of its own instead of
 * OpenBSD's, and dash drops variables whose names have dots and dashes.
 */
const LINKS = {
  'bin/sh': 'bash',
  'bin/nc': 'nc.openbsd',
  'bin/sysctl': '../sbin/sysctl',
  'usr/bin/awk': 'mawk',
  'agnhost-2': 'agnhost',
}

const FILES = {
  'etc/passwd': `root:x:0:0:root:/root:/bin/sh
nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin
www-data:x:33:33:www-data:/var/www:/sbin/nologin
user-defined-in-image:x:1000:1000::/home/user-defined-in-image:/bin/sh
`,
  'etc/group': `root:x:0:
nobody:x:65534:
nogroup:x:65534:
www-data:x:33:
group-defined-in-image:x:50000:user-defined-in-image
`,
  'etc/nginx/nginx.conf': `worker_processes 1;
error_log /dev/stderr;
events {}
http {
  include mime.types;
  access_log /dev/stdout;
  server { listen 80; root /usr/share/nginx/html; }
}
`,
}

/** The file system of the images of tests: Debian packages, and what upstream's images have in their roots. */
export async function e2eFiles(
  version: string,
  programs: E2ePrograms & { etcd: string },
  context: LabContext,
): Promise<TarEntry[]> {
  const debian = { name: 'e2e-v2', packages: PACKAGES, isComplete: true }
  const root = await ensureDebianFolder(debian, context)
  const source = join(await goModuleFolder(`k8s.io/kubernetes@v${version}`), 'test/images')
  const copies = {
    agnhost: programs.agnhost,
    'sample-apiserver': programs['sample-apiserver'],
    'usr/local/bin/etcd': programs.etcd,
    'usr/local/bin/nonewprivs': programs.nonewprivs,
    'data.json': join(source, 'nautilus/html/data.json'),
    'nautilus.jpg': join(source, 'nautilus/html/nautilus.jpg'),
    'localhost.crt': join(source, 'agnhost/porter/localhost.crt'),
    'localhost.key': join(source, 'agnhost/porter/localhost.key'),
  }
  const own = [
    ...Object.entries(copies).map(([path, from]) => file(path, readFileSync(from))),
    ...Object.entries(FILES).map(([path, text]) => file(path, Buffer.from(text))),
    ...Object.entries(LINKS).map(([path, target]): TarEntry => ({ path, type: 'link', target })),
  ]
  const paths = new Set(own.map(({ path }) => path))
  return [...filesBelow(root).filter(({ path }) => !paths.has(path)), ...own]
}

function file(path: string, data: Buffer): TarEntry {
  // It must change who runs it, to show that a pod may forbid that.
  return { path, type: 'file', data, mode: path.endsWith('/nonewprivs') ? 0o4755 : 0o755 }
}

function filesBelow(root: string): TarEntry[] {
  const found = readdirSync(root, { recursive: true, withFileTypes: true })
  return found.flatMap((entry): TarEntry[] => {
    const absolute = join(entry.parentPath, entry.name)
    const path = absolute.slice(root.length + 1)
    if (UNUSED.test(path)) {
      return []
    }
    if (entry.isSymbolicLink()) {
      return [{ path, type: 'link', target: readlinkSync(absolute) }]
    }
    if (entry.isDirectory()) {
      return [{ path, type: 'folder', mode: path === 'tmp' ? 0o1777 : 0o755 }]
    }
    return [file(path, readFileSync(absolute))]
  })
}
