const BLOCK = 512
const MAX_NAME = 100

/** One entry of a tar archive. Entries belong to root and to the time 0, so that the same input is the same archive. */
export interface TarEntry {
  /** Relative, without a slash in front. */
  path: string
  type: 'file' | 'folder' | 'link'
  /** Permission bits. @default 0o755 */
  mode?: number
  /** What a file holds. @default nothing */
  data?: Buffer
  /** Where a symbolic link leads. */
  target?: string
  /** PAX records: what a plain header cannot say, such as `SCHILY.xattr.…`. @default none */
  records?: Readonly<Record<string, Buffer>>
}

const TYPE_FLAGS = { file: '0', link: '2', folder: '5', records: 'x' } as const

/** A tar archive (POSIX.1-2001) of these entries, as a list of its pieces: files are not copied. */
export function tar(entries: readonly TarEntry[]): Buffer[] {
  return [...entries.flatMap(entryPieces), Buffer.alloc(2 * BLOCK)]
}

function entryPieces({ data = Buffer.alloc(0), records = {}, ...entry }: TarEntry): Buffer[] {
  const path = entry.type === 'folder' ? `${entry.path}/` : entry.path
  const body = Buffer.concat(Object.entries(records).map(([name, value]) => record(name, value)))
  const { mode = 0o755, target = '' } = entry
  return [
    ...(body.length === 0
      ? []
      : [
          header(
            { path: `PaxHeaders/${path}`, flag: TYPE_FLAGS.records, mode: 0o644 },
            body.length,
          ),
          ...padded(body),
        ]),
    header({ path, flag: TYPE_FLAGS[entry.type], mode, target }, data.length),
    ...padded(data),
  ]
}

/** `<length> <name>=<value>\n`, where the length counts itself. */
function record(name: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${name}=`), value, Buffer.from('\n')])
  let length = rest.length + 1
  while (String(length).length + rest.length !== length) {
    length = String(length).length + rest.length
  }
  return Buffer.concat([Buffer.from(String(length)), rest])
}

interface Header {
  path: string
  flag: string
  mode: number
  target?: string
}

function header({ flag, mode, path, target = '' }: Header, size: number): Buffer {
  if (Buffer.byteLength(path) > MAX_NAME || Buffer.byteLength(target) > MAX_NAME) {
    throw new Error(`too long for a tar header: ${path} ${target}`)
  }
  const block = Buffer.alloc(BLOCK)
  block.write(path, 0)
  block.write(octal(mode, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  block.write(octal(size, 11), 124)
  block.write(octal(0, 11), 136)
  block.write(' '.repeat(8), 148)
  block.write(flag, 156)
  block.write(target, 157)
  block.write('ustar\u000000', 257, 'latin1')
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${octal(sum, 6)}\u0000 `, 148, 'latin1')
  return block
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}

function padded(data: Buffer): Buffer[] {
  const rest = data.length % BLOCK
  return data.length === 0 ? [] : rest === 0 ? [data] : [data, Buffer.alloc(BLOCK - rest)]
}
