import { crc32, deflateRawSync } from 'node:zlib'

interface Entry {
  name: string
  body: Buffer
}

/** A zip archive; entries whose names end with `.stored` are not compressed. */
export function zip(entries: Entry[], comment = ''): Buffer {
  const local: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { body, name } of entries) {
    const isStored = name.endsWith('.stored')
    const data = isStored ? body : deflateRawSync(body)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(isStored ? 0 : 8, 4)
    common.writeUInt32LE(crc32(body), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(body.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    const header = Buffer.concat([signature(0x04034b50), common, Buffer.from(name)])
    local.push(header, data)
    directory.push(signature(0x02014b50), Buffer.alloc(2), common, tail, Buffer.from(name))
    offset += header.length + data.length
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(size, 8)
  end.writeUInt32LE(offset, 12)
  end.writeUInt16LE(Buffer.byteLength(comment), 16)
  return Buffer.concat([...local, ...directory, signature(0x06054b50), end, Buffer.from(comment)])
}

function signature(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32LE(value)
  return buffer
}
