"""Reference firmware of the box: a Raspberry Pi Pico (or Pico 2, Pico W) with MicroPython 1.22 or later.

Copy main.py, parts.py and protocol.py onto the Pico; it starts by itself. The pins below may be changed, or be None
for a part that is not there.
"""

import binascii
import os
import select
import sys
import time
from array import array

import machine
import micropython
from machine import PWM, SPI, Pin
from parts import EdgeRing, LongClock, Outputs
from protocol import Box

BUTTONS = (2, 3, 4, 5)  # left, right, pause, arbiter's key: contact to GND
LAMPS = (6, 7, 8)  # left, right, arbiter: 330 ohm and LED to GND, or a MOSFET's gate
BUZZER = 9  # passive, through a transistor
TRAY_LIGHT = 10  # MOSFET's gate
DIGITS_CS = 17  # MAX7219: CS here, CLK on GP18, DIN on GP19; None without digits

RING = 256


def pwm_output(number, hz):
    """A function that sets a brightness of 0-255, or None."""
    if number is None:
        return None
    pwm = PWM(Pin(number))
    pwm.freq(hz)
    pwm.duty_u16(0)
    return lambda level: pwm.duty_u16(level * 257)


def buzzer_output(number):
    """A function that sounds a frequency, or None."""
    if number is None:
        return None
    pwm = PWM(Pin(number))
    pwm.duty_u16(0)

    def sound(hz):
        if hz:
            pwm.freq(hz)
        pwm.duty_u16(32768 if hz else 0)

    return sound


def digits_output(select_number):
    """A function that shows eight segment bytes on a MAX7219, or None."""
    if select_number is None:
        return None
    spi = SPI(0, baudrate=1_000_000, sck=Pin(18), mosi=Pin(19))
    chip = Pin(select_number, Pin.OUT, value=1)

    def write(register, value):
        chip(0)
        spi.write(bytes((register, value)))
        chip(1)

    for register, value in ((0x0F, 0), (0x0B, 7), (0x09, 0), (0x0A, 6), (0x0C, 1)):
        write(register, value)

    def show(row):
        for index, value in enumerate(row):
            write(8 - index, value)

    return show


def watch(number, button, ring):
    """Ask for the edges of one contact; True where it is closed now."""
    pin = Pin(number, Pin.IN, Pin.PULL_UP)
    ticks_us, put = time.ticks_us, ring.put

    def changed(_):
        put(ticks_us(), button, 1 - pin.value())

    pin.irq(changed, Pin.IRQ_FALLING | Pin.IRQ_RISING, hard=True)
    return not pin.value()


def main():
    """Run for ever."""
    micropython.kbd_intr(-1)  # a byte 3 in the data is no Ctrl-C
    micropython.alloc_emergency_exception_buf(100)
    ring = EdgeRing(array("I", [0] * RING), array("B", [0] * RING))
    parts = levels = 0
    for button, number in enumerate(BUTTONS):
        if number is not None:
            parts |= 1 << button
            levels |= watch(number, button, ring) << button
    lamps = [pwm_output(number, 500) for number in LAMPS]
    outputs = Outputs(lamps, buzzer_output(BUZZER), pwm_output(TRAY_LIGHT, 500), digits_output(DIGITS_CS))
    for index, lamp in enumerate(lamps):
        parts |= (lamp is not None) << (4 + index)
    for bit, number in ((7, DIGITS_CS), (8, DIGITS_CS), (9, BUZZER), (10, TRAY_LIGHT)):
        parts |= (number is not None) << bit
    clock = LongClock(time.ticks_us, time.ticks_diff)
    name = "pico-" + binascii.hexlify(machine.unique_id()).decode()[-8:]
    boot = int.from_bytes(os.urandom(4), "big")
    box = Box(outputs, name, boot, parts, levels)
    poll = select.poll()
    poll.register(sys.stdin, select.POLLIN)
    watchdog = machine.WDT(timeout=5000)
    while True:
        watchdog.feed()
        us = clock.now()
        edge = ring.take()
        while edge is not None:
            box.edge(edge[1], edge[2], clock.long(edge[0]))
            edge = ring.take()
        if ring.lost:
            ring.lost = False
            box.lost_edges()
            for button, number in enumerate(BUTTONS):
                if number is not None:
                    closed = not Pin(number).value()
                    if closed != bool(box.levels & (1 << button)):
                        box.edge(button, closed, us)
        box.poll(us)
        outputs.run(us)
        out = box.take_output()
        if out:
            sys.stdout.buffer.write(out)
        for _ in range(64):
            if not poll.poll(0):
                break
            box.feed(sys.stdin.buffer.read(1), clock.now())
        else:
            continue
        time.sleep_ms(1)


main()
