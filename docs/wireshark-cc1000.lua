-- TinyOS's frames on a CC1000 for Wireshark and tshark, as `motet run --pcap` writes them (LINKTYPE_USER0):
--     tshark -X lua_script:wireshark-cc1000.lua -r radio.pcap
-- or copy this file to the folder of personal plugins that Wireshark's "About" shows.
local cc1000 = Proto("cc1000", "TinyOS on a CC1000")
local field = cc1000.fields
field.to = ProtoField.uint16("cc1000.to", "Destination", base.HEX)
field.from = ProtoField.uint16("cc1000.from", "Source", base.HEX)
field.length = ProtoField.uint8("cc1000.length", "Length of the data")
field.group = ProtoField.uint8("cc1000.group", "Group", base.HEX)
field.type = ProtoField.uint8("cc1000.type", "Type", base.HEX)
field.data = ProtoField.bytes("cc1000.data", "Data")
field.check = ProtoField.uint16("cc1000.check", "Check sequence", base.HEX)
field.ack = ProtoField.uint16("cc1000.ack", "Acknowledgement", base.HEX)

function cc1000.dissector(frame, packet, tree)
    local branch = tree:add(cc1000, frame())
    packet.cols.protocol = "CC1000"
    if frame:len() == 2 then
        branch:add(field.ack, frame(0, 2))
        packet.cols.info = "Ack"
        return
    end
    local length = frame(4, 1):uint()
    branch:add(field.to, frame(0, 2))
    branch:add(field.from, frame(2, 2))
    branch:add(field.length, frame(4, 1))
    branch:add(field.group, frame(5, 1))
    branch:add(field.type, frame(6, 1))
    if length > 0 then branch:add(field.data, frame(7, length)) end
    branch:add_le(field.check, frame(7 + length, 2))
    packet.cols.info = string.format("Data, Dst: 0x%04x, Src: 0x%04x, Type: 0x%02x",
        frame(0, 2):uint(), frame(2, 2):uint(), frame(6, 1):uint())
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, cc1000)
