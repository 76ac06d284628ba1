import { open } from 'node:fs/promises'

/**
 * Writes a file that cannot be replaced, as kubectl does. If that fails, the old text is put back; unlike a
 * replacement it is not safe from a loss of power.
 */
export async function writeInPlace(path: string, text: string): Promise<void> {
  await using file = await open(path, 'r+')
  const before = await file.readFile()
  const write = async (bytes: Buffer) => {
    for (let position = 0; position < bytes.length;) {
      const { bytesWritten } = await file.write(bytes, position, bytes.length - position, position)
      position += bytesWritten
    }
    await file.truncate(bytes.length)
    await file.sync()
  }
  try {
    await write(Buffer.from(text))
  } catch (error) {
    await write(before)
    throw error
  }
}
