# Sourced by deploy/card/image: Debian with the application in it, as a folder. mmdebstrap makes it, as root or, where nobody is,
# in a name space of its own; what must run inside runs there, under emulation where the processor is another one.
# shellcheck shell=bash disable=SC2154,SC2016
# (its hooks are run by mmdebstrap, which gives them the folder as $1)

# make_system: leave the system in $work/tree.
make_system() {
  local wanted suites image=linux-image-$arch
  read -ra wanted < <(sed -nE 's/^wanted=\((.*)\)$/\1/p' "$here/install" | head -n 1)
  wanted+=(systemd systemd-sysv udev dbus kmod fdisk e2fsprogs initramfs-tools busybox overlayroot zstd)
  suites=("deb $mirror trixie main non-free-firmware" "deb $mirror trixie-updates main non-free-firmware")
  if [ "$arch" = arm64 ]; then wanted+=(raspi-firmware); fi
  if [ "$kernel" = backports ]; then suites+=("deb $mirror trixie-backports main non-free-firmware"); image+=/trixie-backports; fi
  wanted+=("$image")

  mkdir "$work/in"
  cp "$package" "$package.sig" "$work/in/"
  cp -R "$work/package/deploy" "$work/in/deploy"
  cp "$card/companion-grow" "$card/companion-grow.service" "$work/in/"
  settings >"$work/in/settings"
  inside >"$work/in/inside"
  chmod -R a+rX "$work/in"
  chmod 0755 "$work"
  say "making a Debian system for $arch; under emulation that takes a long time"
  # No start image before the end: Debian would make it twice, and slowly where the processor is emulated.
  INITRD=No mmdebstrap --variant=minbase --architectures="$arch" --include="$(tr ' ' , <<<"${wanted[*]}")" \
    --aptopt='Acquire::Languages "none"' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-include=/usr/share/doc/*/copyright' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt=force-unsafe-io --essential-hook='mkdir -p "$1/boot/firmware"' --customize-hook='mkdir -p "$1/srv/card"' \
    --customize-hook="sync-in '$work/in' /srv/card" \
    --customize-hook="chroot \"\$1\" bash -e /srv/card/inside" \
    --customize-hook='rm -rf "$1/srv/card"' \
    trixie "$work/system.tar" "${suites[@]}" >"$work/log" 2>&1 \
    || { tail -n 15 "$work/log" >&2; die "the system could not be made; its last words are above"; }
  mkdir "$work/tree"
  as_owner tar --numeric-owner -C "$work/tree" -xf "$work/system.tar"
  rm -f "$work/system.tar"
}

# settings: what this card is called, which file systems it has, how it starts.
settings() {
  cat <<TEXT
root_uuid=$root_uuid
games_uuid=$games_uuid
arch=$arch
language=$language
TEXT
}

# inside: what runs within the new system, as its root.
inside() {
  cat <<'TEXT'
. /srv/card/settings
export DEBIAN_FRONTEND=noninteractive
printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
chmod 0755 /usr/sbin/policy-rc.d
echo table-companion >/etc/hostname
printf '127.0.0.1 localhost table-companion\n::1 localhost\n' >/etc/hosts
cat >/etc/fstab <<FSTAB
UUID=$root_uuid / ext4 defaults,noatime 0 1
LABEL=BOOTFS /boot/firmware vfat ro,nofail,noatime 0 0
FSTAB
# The firmware's files: Debian's raspi-firmware writes them with every kernel, from these.
if [ "$arch" = arm64 ]; then
  printf 'ROOTPART=UUID=%s\n' "$root_uuid" >>/etc/default/raspi-firmware
fi
printf 'virtio_blk\nvirtio_pci\nvirtio_mmio\n' >>/etc/initramfs-tools/modules
update-initramfs -c -k all
start="root=UUID=$root_uuid rootfstype=ext4 rootwait fsck.repair=yes quiet"
if [ ! -s /boot/firmware/cmdline.txt ]; then echo "$start" >/boot/firmware/cmdline.txt; fi
for made in /boot/vmlinuz-* /boot/initrd.img-*; do
  if [ ! -e "/boot/firmware/${made##*/}" ]; then cp "$made" /boot/firmware/; fi
done
# Where the processor is emulated, compiling takes most of an hour.
export COMPANION_STEP_S=14400
bash /srv/card/deploy/install --from /srv/card/table-companion-*.zip --no-start ${language:+--language "$language"}
# Power-safe from the first start.
companion-power-safe on "UUID=$games_uuid" --root /
cp /srv/card/companion-grow /opt/table-companion/bin/
chmod 0755 /opt/table-companion/bin/companion-grow
cp /srv/card/companion-grow.service /etc/systemd/system/
systemctl --quiet enable companion-grow.service
# Nobody can log in: root has no password, nobody else exists, and nothing listens.
passwd --quiet --lock root
systemctl --quiet mask systemd-networkd.service systemd-resolved.service apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer \
  e2scrub_reap.service fstrim.timer dpkg-db-backup.timer
# The overlay lets itself not be mounted anew with other options, and needs it not.
mkdir -p /etc/systemd/system/systemd-remount-fs.service.d
printf '[Unit]\nConditionPathIsMountPoint=!/media/root-ro\n' >/etc/systemd/system/systemd-remount-fs.service.d/overlay.conf
: >/etc/machine-id
rm -f /var/lib/dbus/machine-id /usr/sbin/policy-rc.d /etc/ssh/ssh_host_* /var/lib/systemd/random-seed /root/.bash_history
sed -i '/unsafe-io/d' /etc/dpkg/dpkg.cfg.d/* 2>/dev/null || true
rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb /var/log/*.log /var/log/apt /boot/initrd.img-*.bak
# What a start after an update does, under an overlay every start would do.
touch /etc/.updated /var/.updated
TEXT
}
