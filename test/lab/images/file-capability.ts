const REVISION_2 = 0x02_00_00_00
const EFFECTIVE = 0x01
const NET_BIND_SERVICE = 10

/** The extended attribute `security.capability` of a program that carries cap_net_bind_service=+ep. */
export function netBindServiceCapability(): Buffer {
  // struct vfs_cap_data of linux/capability.h: magic, then permitted and inheritable of capabilities 0 to 31 and 32 to 63.
  const value = Buffer.alloc(20)
  value.writeUInt32LE(REVISION_2 | EFFECTIVE, 0)
  value.writeUInt32LE(2 ** NET_BIND_SERVICE, 4)
  return value
}
